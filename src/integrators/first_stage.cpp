#include "integrators/first_stage.h"

#include <algorithm>

#include "integrators/ode_step.h"

namespace trammel::integrators {
namespace {

// t, y, ẏ, and the inputs, which may be set between steps: the rate is then another.
constexpr MemorySlot kFirstStage{"first stage", Lifetime::step};

// With room for y and ẏ.
std::vector<double>& fresh_memory(std::size_t size, State& state) {
  std::vector<double>& memory = state.remember(kFirstStage, 0);
  memory.resize(1 + 2 * size + state.inputs.size());
  memory.front() = state.t;
  std::copy(state.inputs.rbegin(), state.inputs.rend(), memory.rbegin());
  return memory;
}

bool known(const std::vector<double>& memory, const State& state, std::span<const double> y) {
  return memory.size() == 1 + 2 * y.size() + state.inputs.size() && same_time(memory.front(), state.t) &&
         std::equal(y.begin(), y.end(), memory.begin() + 1) &&
         std::equal(state.inputs.rbegin(), state.inputs.rend(), memory.rbegin());
}

}  // namespace

Report first_stage(forms::OdeForm& form, const State& state, std::span<const double> y,
                   std::span<double> y_dot, int& evaluations) {
  const std::vector<double>* memory = state.recall(kFirstStage);
  if (memory != nullptr && known(*memory, state, y)) {
    math::copy(y_dot, memory->data() + 1 + y.size());
    return {};
  }
  ++evaluations;
  const Report report = form.rate(state.t, y, y_dot);
  return report.accepted() && !math::all_finite(y_dot) ? not_finite(state.t) : report;
}

void remember_first_stage(std::span<const double> y, std::span<const double> y_dot, State& state) {
  std::vector<double>& memory = fresh_memory(y.size(), state);
  std::copy(y_dot.begin(), y_dot.end(), std::copy(y.begin(), y.end(), memory.begin() + 1));
}

void remember_first_stage(const forms::OdeForm& form, forms::Kept kept, std::size_t size, State& state) {
  const std::span<double> both = std::span(fresh_memory(size, state)).subspan(1, 2 * size);
  if (kept == forms::Kept::new_chart || !form.rate_of_accepted(state, both.first(size), both.last(size)))
    forget_first_stage(state);
}

void forget_first_stage(State& state) { state.remember(kFirstStage, 0).clear(); }

}  // namespace trammel::integrators
