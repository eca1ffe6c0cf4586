#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "completion.h"

namespace trammel::app {
namespace {

// Within single quotes, and within [ ] of a specification.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string action(const ArgumentSpec& argument) {
  switch (argument.words) {
    case Words::choices:
      return fmt::format("({})", fmt::join(argument.choices, " "));
    case Words::model:
      return "_files -g \"*.(yaml|yml|urdf|xml|sdf|h5)\"";
    case Words::results:
      return "_files -g \"*.(h5|log)\"";
    case Words::folder:
      return "_files -/";
    case Words::keys:
      return "_trammel_words keys";
    case Words::columns:
      return "_trammel_words columns";
    case Words::file:
      return "_files";
    default:
      return " ";
  }
}

std::string arguments(const CommandSpec& command, const std::string& indent) {
  std::string out = indent + "_arguments -S";
  for (const ArgumentSpec& option : command.options) {
    const std::string repeat = option.many ? "*" : "";
    out +=
        fmt::format(" \\\n{}  '{}{}{}[{}]{}'", indent, repeat, option.name, option.value.empty() ? "" : "=",
                    quoted(short_help(option.help)),
                    option.value.empty() ? "" : fmt::format(":{}:{}", quoted(option.value), action(option)));
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const ArgumentSpec& positional = command.positionals[i];
    out += fmt::format(" \\\n{}  '{}:{}:{}'", indent, positional.many ? "*" : std::to_string(i + 1),
                       quoted(positional.name), action(positional));
  }
  return out + "\n";
}

// A function for each command; those with subcommands choose one.
std::string function_of(const CommandSpec& command) {
  std::string name = "_trammel";
  for (const std::string& word : command.path) name += "_" + word;
  std::string out = fmt::format("{}() {{\n", name);
  if (command.commands.empty()) return out + arguments(command, "  ") + "}\n\n";
  out += "  local -a commands\n  commands=(\n";
  for (const CommandSpec& below : command.commands)
    out += fmt::format("    '{}:{}'\n", below.last(), quoted(short_help(below.help)));
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n";
  out += arguments(
      {.path = {}, .help = "", .footer = "", .options = command.options, .positionals = {}, .commands = {}},
      "    ");
  out += "    return\n  fi\n  local chosen=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $chosen in\n";
  for (const CommandSpec& below : command.commands)
    out += fmt::format("    {0}) {1}_{0} ;;\n", below.last(), name);
  return out + "  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandSpec& root) {
  std::string out =
      "#compdef trammel\n# Completion of trammel for zsh, made by 'trammel completion zsh'.\n\n"
      "# Keys of the model, or columns of the results, that the first word names.\n"
      "_trammel_words() {\n"
      "  local word first\n"
      "  local -a found\n"
      "  for word in $words[2,-1]; do [[ $word == -* ]] || { first=$word; break; }; done\n"
      "  found=(${(f)\"$(trammel completion words $1 ${(Q)first} 2>/dev/null)\"})\n"
      "  compadd -S '' -a found\n"
      "}\n\n";
  std::vector<const CommandSpec*> all = all_commands(root);
  std::reverse(all.begin(), all.end());
  for (const CommandSpec* command : all) out += function_of(*command);
  return out + "_trammel \"$@\"\n";
}

}  // namespace trammel::app
