// Commands that are a class of their own: options and what is done with them. A new one is a class and one
// line in more_commands().
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

namespace trammel::app {

class Command {
 public:
  virtual ~Command() = default;
  // Its subcommand, with options and examples.
  virtual CLI::App* add(CLI::App& app) = 0;
  // The exit status.
  virtual int run() = 0;
};

std::unique_ptr<Command> make_new();
std::unique_ptr<Command> make_plot();
std::unique_ptr<Command> make_diff();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_man();

std::vector<std::unique_ptr<Command>> more_commands();

}  // namespace trammel::app
