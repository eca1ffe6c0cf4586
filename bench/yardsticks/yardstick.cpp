#include "yardsticks/yardstick.h"

#include "yardsticks/long_models.h"
#include "yardsticks/small_models.h"

namespace trammel::bench {

bool has_yardstick(const std::string& problem) {
  for (const char* name :
       {"double-four-bar", "n-four-bar", "bricard", "andrews", "three-link-pendulum", "chain"})
    if (problem.starts_with(name)) return true;
  return false;
}

std::unique_ptr<Yardstick> make_yardstick(const std::string& problem, const State& start) {
  if (problem.starts_with("n-four-bar")) return make_four_bar_row(start);
  if (problem.starts_with("chain")) return make_chain(start);
  return make_small_yardstick(problem, start);
}

}  // namespace trammel::bench
