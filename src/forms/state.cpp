#include "trammel/state.h"

#include <algorithm>

#include "forms/take_state.h"

namespace trammel {

std::vector<double>& State::remember(const MemorySlot& slot, std::size_t size) {
  for (Memory& m : memory)
    if (m.slot == slot) return m.values;
  memory.push_back({slot, std::vector<double>(size, 0.0)});
  return memory.back().values;
}

const std::vector<double>* State::recall(const MemorySlot& slot) const {
  for (const Memory& m : memory)
    if (m.slot == slot) return &m.values;
  return nullptr;
}

void State::forget_steps() {
  std::erase_if(memory, [](const Memory& m) { return m.slot.lifetime == Lifetime::step; });
}

}  // namespace trammel

namespace trammel::forms {

void take(const std::vector<Memory>& from, std::vector<Memory>& to) {
  const auto same = [](const Memory& a, const Memory& b) { return a.slot == b.slot; };
  if (!std::equal(from.begin(), from.end(), to.begin(), to.end(), same)) {
    to = from;
    return;
  }
  for (std::size_t k = 0; k < from.size(); ++k) take(from[k].values, to[k].values);
}

void take(const State& from, State& to) {
  to.take_time(from);
  take(from.q, to.q);
  take(from.v, to.v);
  take(from.a, to.a);
  take(from.lambda, to.lambda);
  take(from.x, to.x);
  take(from.inputs, to.inputs);
  take(from.memory, to.memory);
}

}  // namespace trammel::forms
