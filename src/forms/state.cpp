#include "trammel/state.h"

namespace trammel {

std::vector<double>& State::remember(std::string_view name, std::size_t size) {
  for (Memory& m : memory)
    if (m.name == name) return m.values;
  memory.push_back({std::string(name), std::vector<double>(size, 0.0)});
  return memory.back().values;
}

const std::vector<double>* State::recall(std::string_view name) const {
  for (const Memory& m : memory)
    if (m.name == name) return &m.values;
  return nullptr;
}

}  // namespace trammel
