#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.h"

namespace trammel::app {
namespace {

std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

// What can stand there, as arguments of `complete`.
std::string fish_words(const ArgumentSpec& argument) {
  switch (argument.words) {
    case Words::choices:
      return fmt::format(" -a '{}'", fmt::join(argument.choices, " "));
    case Words::keys:
      return " -a '(__trammel_words keys)'";
    case Words::columns:
      return " -a '(__trammel_words columns)'";
    case Words::model:
      return " -k -a '(__fish_complete_suffix .yaml .yml .urdf .xml .sdf .h5)'";
    case Words::results:
      return " -k -a '(__fish_complete_suffix .h5 .log)'";
    case Words::folder:
      return " -a '(__fish_complete_directories)'";
    case Words::file:
      return " -F";
    default:
      return "";
  }
}

std::string fish_command(const CommandSpec& command) {
  std::string out;
  const std::string condition = fmt::format("'__trammel_at {}'", fmt::join(command.path, " "));
  for (const CommandSpec& below : command.commands)
    out += fmt::format("complete -c trammel -n '__trammel_needs {}' -a {} -d {}\n",
                       fmt::join(command.path, " "), below.last(), in_quotes(short_help(below.help)));
  for (const ArgumentSpec& option : command.options)
    out += fmt::format("complete -c trammel -n {} -l {}{} -d {}\n", condition, option.name.substr(2),
                       option.value.empty() ? "" : " -x" + fish_words(option),
                       in_quotes(short_help(option.help)));
  for (const ArgumentSpec& positional : command.positionals)
    if (positional.words != Words::none)
      out += fmt::format("complete -c trammel -n {}{}\n", condition, fish_words(positional));
  return out;
}

}  // namespace

std::string fish_completion(const CommandSpec& root) {
  std::string out =
      "# Completion of trammel for fish, made by 'trammel completion fish'.\n"
      "# Whether the command line names these commands; and none below them.\n"
      "function __trammel_at\n"
      "  set -l words (commandline -opc)\n"
      "  for i in (seq (count $argv))\n"
      "    test \"$words[(math $i + 1)]\" = \"$argv[$i]\"; or return 1\n"
      "  end\n"
      "end\n"
      "function __trammel_needs\n"
      "  __trammel_at $argv; and test (count (commandline -opc)) -eq (math (count $argv) + 1)\n"
      "end\n"
      "# Keys of the model, or columns of the results, that the first word after the command names.\n"
      "function __trammel_words\n"
      "  set -l words (commandline -opc)\n"
      "  trammel completion words $argv[1] $words[3] 2>/dev/null\n"
      "end\n"
      "complete -c trammel -f\n";
  for (const CommandSpec* command : all_commands(root)) out += fish_command(*command);
  return out;
}

}  // namespace trammel::app
