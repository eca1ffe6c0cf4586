#include "simulation/chatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/reactions/work.h"
#include "simulation/breaks.h"
#include "simulation/plan_check.h"

namespace trammel::simulation {
namespace {

constexpr int kBackAndForth = 4, kLongestRest = 6;
// What the State remembers of each switch: for how many steps it is left alone, and the power of two of the
// last time.
constexpr MemorySlot kSwitches{"switches", Lifetime::run};
enum : std::size_t { kRest, kPower, kNumbers };

}  // namespace

Chatter::Chatter(Running& running, const std::vector<Switch>& switches)
    : running_(running), switches_(switches), times_(switches.size()) {}

void Chatter::begin() { std::ranges::fill(times_, 0); }

bool Chatter::rests(std::size_t k) const {
  const std::vector<double>* memory = running_.state.recall(kSwitches);
  return times_[k] >= kBackAndForth || (memory != nullptr && memory->size() == kNumbers * switches_.size() &&
                                        (*memory)[kNumbers * k + kRest] > 0);
}

const Switch* Chatter::resting() const {
  for (std::size_t k = 0; k < switches_.size(); ++k)
    if (switches_[k].acts() && rests(k)) return &switches_[k];
  return nullptr;
}

bool Chatter::any_rests() const { return resting() != nullptr; }

void Chatter::end() {
  const bool any = std::ranges::any_of(times_, [](int times) { return times > 0; });
  if (!any && running_.state.recall(kSwitches) == nullptr) return;
  std::vector<double>& memory = running_.state.remember(kSwitches, kNumbers * switches_.size());
  memory.resize(kNumbers * switches_.size());
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    double* const of = &memory[kNumbers * k];
    if (times_[k] >= kBackAndForth) {
      of[kPower] = std::min(of[kPower] + 1, double{kLongestRest});
      of[kRest] = std::exp2(of[kPower]);
    } else if (of[kRest] > 0) {
      --of[kRest];
    } else if (times_[k] > 0) {
      of[kPower] = 0;
    }
  }
}

double Chatter::most(double start, const State& before, double end) const {
  constexpr double kFirst = 100 * kShort;
  if (!running_.mode->method->proposed(before)) return end - before.t;
  return std::min(end - before.t, std::max(kFirst, 2 * (before.t - start)));
}

StepResult Chatter::take(const std::function<StepResult()>& step) {
  Mode& mode = *running_.mode;
  if (!any_rests() || !mode.system->has_work()) return step();
  const double before = mode.reader.energy(running_.state).balance();
  StepResult out = step();
  if (out.report.accepted())
    running_.state.remember(formulations::kWork, 2)[0] +=
        mode.reader.energy(running_.state).balance() - before;
  return out;
}

void Chatter::blame(Report& report) const {
  if (const Switch* one = resting())
    report.message = fmt::format(
        "'{}' jumps back and forth, as sign(v) does where dry friction should stick; give it hysteresis, or "
        "make the jump smooth: smooth_sign(x, width)",
        one->watched.text);
}

Report Chatter::forecast() const {
  constexpr double kMostSteps = 1e8;  // hours, for the smallest mechanism
  Report report;
  const double step = running_.mode->method->proposed(running_.state).value_or(0);
  if (!(step > 0 && running_.plan.duration - running_.state.t > kMostSteps * step)) return report;
  report.outcome = Outcome::not_converged;
  if (const Switch* one = resting())
    report.message = fmt::format(
        "'{}' jumps back and forth from here on, and the tolerance asks for steps of {:.1g} s, which would "
        "take hours; give it hysteresis, or make the jump smooth: smooth_sign(x, width)",
        one->watched.text, step);
  return report;
}

}  // namespace trammel::simulation
