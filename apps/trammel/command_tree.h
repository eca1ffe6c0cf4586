// The commands with their options as plain data, read from the parser: completion and man pages are made of
// it.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace trammel::app {

// What can stand at a place of the command line.
enum class Words { none, file, model, results, folder, choices, keys, columns };

struct ArgumentSpec {
  std::string name;        // "model", or "--out" for options
  std::string short_name;  // "-h"; empty: none
  std::string help;
  std::string value;  // what follows an option: "FILE"; empty: it is a flag
  Words words = Words::none;
  std::vector<std::string> choices;  // of Words::choices
  bool required = false, many = false;
};

struct CommandSpec {
  std::vector<std::string> path;  // {"solve", "modes"}; empty: the program
  std::string help, footer;
  std::vector<ArgumentSpec> options, positionals;
  std::vector<CommandSpec> commands;
  // "trammel solve modes"
  std::string called() const;
  std::string last() const { return path.empty() ? "trammel" : path.back(); }
};

CommandSpec command_tree(const CLI::App& app);
// The program and all its commands, those with subcommands before them.
std::vector<const CommandSpec*> all_commands(const CommandSpec& root);

}  // namespace trammel::app
