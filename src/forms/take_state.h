// Copies of a State into the room that another has: a step of few coordinates is mostly such copies.
#pragma once

#include <utility>

#include "math/spans.h"
#include "trammel/state.h"

namespace trammel::forms {

// to = from
inline void take(const std::vector<double>& from, std::vector<double>& to) {
  if (to.size() != from.size()) to.resize(from.size());
  math::copy(to, from.data());
}
void take(const std::vector<Memory>& from, std::vector<Memory>& to);
void take(const State& from, State& to);

inline void exchange(State& one, State& other) {
  std::swap(one.t, other.t);
  std::swap(one.after, other.after);
  std::swap(one.before, other.before);
  one.q.swap(other.q);
  one.v.swap(other.v);
  one.a.swap(other.a);
  one.lambda.swap(other.lambda);
  one.x.swap(other.x);
  one.inputs.swap(other.inputs);
  one.memory.swap(other.memory);
}

}  // namespace trammel::forms
