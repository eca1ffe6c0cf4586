// Completion scripts for shells, made of the commands as the parser has them.
#pragma once

#include <string>

#include "command_tree.h"

namespace trammel::app {

std::string bash_completion(const CommandSpec& root);
std::string zsh_completion(const CommandSpec& root);
std::string fish_completion(const CommandSpec& root);

// The first clause of a help text.
std::string short_help(const std::string& help);

}  // namespace trammel::app
