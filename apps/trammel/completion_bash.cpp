#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.h"

namespace trammel::app {
namespace {

const char* bash_words(Words words) {
  switch (words) {
    case Words::none:
      return "none";
    case Words::model:
      return "model";
    case Words::results:
      return "results";
    case Words::folder:
      return "folder";
    case Words::keys:
      return "keys";
    case Words::columns:
      return "columns";
    default:
      return "file";
  }
}

// "file", or "choices natural reference".
std::string bash_kind(const ArgumentSpec& argument) {
  if (argument.words != Words::choices) return bash_words(argument.words);
  return fmt::format("choices {}", fmt::join(argument.choices, " "));
}

std::vector<std::string> bash_options(const CommandSpec& command, bool with_value) {
  std::vector<std::string> names;
  for (const ArgumentSpec& option : command.options)
    if (!with_value || !option.value.empty()) names.push_back(option.name);
  return names;
}

// The lines of `case "$path"`: what a command has.
std::string bash_command(const CommandSpec& command) {
  std::vector<std::string> names, kinds;
  for (const CommandSpec& below : command.commands) names.push_back(below.last());
  for (const ArgumentSpec& positional : command.positionals)
    kinds.push_back("'" + bash_kind(positional) + "'");
  if (!command.positionals.empty() && command.positionals.back().many) kinds.emplace_back("'*'");
  std::string values;
  for (const ArgumentSpec& option : command.options)
    if (!option.value.empty())
      values += fmt::format("        {}) kind='{}' ;;\n", option.name, bash_kind(option));
  return fmt::format(
      "    '{}')\n      commands='{}'\n      options='{}'\n      takers='{}'\n      positionals=({})\n"
      "      case \"$previous\" in\n{}        *) kind= ;;\n      esac ;;\n",
      fmt::join(command.path, " "), fmt::join(names, " "), fmt::join(bash_options(command, false), " "),
      fmt::join(bash_options(command, true), " "), fmt::join(kinds, " "), values);
}

constexpr const char* kBashHelpers = R"bash(
# Words of one kind that start with $2.
_trammel_words() {
  case "$1" in
    choices\ *) COMPREPLY=($(compgen -W "${1#choices }" -- "$2")) ;;
    keys) COMPREPLY=($(compgen -W "$("$program" completion words keys "$first" 2>/dev/null)" -- "$2")); compopt -o nospace 2>/dev/null ;;
    columns) COMPREPLY=($(compgen -W "$("$program" completion words columns "$first" 2>/dev/null)" -- "$2")) ;;
    folder) COMPREPLY=($(compgen -d -- "$2")); compopt -o filenames 2>/dev/null ;;
    model) COMPREPLY=($(compgen -f -X '!*.@(yaml|yml|urdf|xml|sdf|h5)' -- "$2") $(compgen -d -- "$2")); compopt -o filenames 2>/dev/null ;;
    results) COMPREPLY=($(compgen -f -X '!*.@(h5|log)' -- "$2") $(compgen -d -- "$2")); compopt -o filenames 2>/dev/null ;;
    file) COMPREPLY=($(compgen -f -- "$2")); compopt -o filenames 2>/dev/null ;;
    *) COMPREPLY=() ;;
  esac
}

_trammel() {
  local program="$1" current="${COMP_WORDS[COMP_CWORD]}" previous= path= first= word kind commands options takers i
  local -a positionals
  local position=0
  shopt -s extglob
  # The command, and how many words stand before the current one.
  _trammel_spec
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word="${COMP_WORDS[i]}"
    previous=
    if [[ " $takers " == *" $word "* ]]; then
      previous="$word"
      [[ "${COMP_WORDS[i+1]}" == '=' ]] && ((++i))
      ((++i))
      continue
    fi
    [[ "$word" == -* || "$word" == '=' ]] && continue
    if [[ " $commands " == *" $word "* ]]; then
      path="${path:+$path }$word"
      _trammel_spec
      continue
    fi
    ((position == 0)) && first="$word"
    ((++position))
  done
  ((i == COMP_CWORD)) && previous=
  [[ "$current" == '=' ]] && current=
  _trammel_spec
  if [[ -n "$previous" ]]; then
    _trammel_words "$kind" "$current"
  elif [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n "$commands" ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  else
    i=${#positionals[@]}
    ((i > 0 && position >= i - 1)) && [[ "${positionals[i-1]}" == '*' ]] && position=$((i - 2))
    _trammel_words "${positionals[position]}" "$current"
  fi
}
complete -F _trammel trammel
)bash";

}  // namespace

std::string bash_completion(const CommandSpec& root) {
  std::string out =
      "# Completion of trammel for bash, made by 'trammel completion bash'.\n"
      "# What the command at $path has; the kind of words that follow the option $previous.\n"
      "_trammel_spec() {\n  case \"$path\" in\n";
  for (const CommandSpec* command : all_commands(root)) out += bash_command(*command);
  return out + "  esac\n}\n" + kBashHelpers;
}

}  // namespace trammel::app
