#include "command.h"

namespace trammel::app {

std::vector<std::unique_ptr<Command>> more_commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(make_new());
  all.push_back(make_plot());
  all.push_back(make_diff());
  all.push_back(make_doctor());
  all.push_back(make_completion());
  all.push_back(make_man());
  return all;
}

}  // namespace trammel::app
