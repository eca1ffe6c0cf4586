// A State as bytes: a mark with the version, then every field in the order of the struct (math/bytes.h).
#include <fmt/format.h>

#include "math/bytes.h"
#include "trammel/state.h"

namespace trammel {
namespace {

constexpr std::string_view kMark = "TRSTATE1";

// A State for the reader, a const one for the writer.
template <class Bytes, class S>
void numbers(Bytes& bytes, S& state) {
  for (auto* x : {&state.t, &state.after, &state.before}) bytes(*x);
  for (auto* x : {&state.q, &state.v, &state.a, &state.lambda, &state.x, &state.inputs}) bytes(*x);
}

Memory memory_from(math::ByteReader& bytes) {
  std::string name;
  bytes(name);
  const std::uint64_t lifetime = bytes.number();
  if (lifetime > static_cast<std::uint64_t>(Lifetime::edit))
    throw std::invalid_argument(fmt::format("slot '{}' has an unknown lifetime", name));
  Memory memory{{name, static_cast<Lifetime>(lifetime)}, {}};
  bytes(memory.values);
  return memory;
}

}  // namespace

std::string to_bytes(const State& state) {
  math::ByteWriter bytes;
  bytes(kMark);
  numbers(bytes, state);
  bytes(std::uint64_t{state.memory.size()});
  for (const Memory& memory : state.memory) {
    bytes(memory.slot.name.text());
    bytes(static_cast<std::uint64_t>(memory.slot.lifetime));
    bytes(memory.values);
  }
  return bytes.take();
}

State state_from_bytes(std::string_view given) {
  try {
    math::ByteReader bytes(given);
    std::string mark;
    bytes(mark);
    if (mark != kMark) throw std::invalid_argument("they do not begin as those of this version do");
    State state;
    numbers(bytes, state);
    for (std::uint64_t left = bytes.number(); left > 0; --left) state.memory.push_back(memory_from(bytes));
    if (!bytes.at_end()) throw std::invalid_argument("there are more of them");
    return state;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("these bytes are not a state: {}", error.what()));
  }
}

}  // namespace trammel
