// Checkpoints: what a run keeps, as bytes from which it goes on to the same bits (docs/results.md#resume).
//
// Each class of a run lists its fields once, in a function fields(bytes) for writing and reading alike. Lists
// that grow with the run hold only what is new since the checkpoint before: all checkpoints are read, in
// order. A checkpoint begins with the number of rows before it.
#pragma once

#include "math/bytes.h"
#include "trammel/run.h"

namespace trammel::simulation {

inline std::uint64_t rows_before(std::string_view checkpoint) {
  return math::ByteReader(checkpoint).number();
}

template <class Bytes>
void fields(Bytes& bytes, MarkedStep& step) {
  bytes(step.t), bytes(step.reason), bytes(step.joint), bytes(step.row);
}

template <class Bytes>
void fields(Bytes& bytes, Event& event) {
  int kind = static_cast<int>(event.kind);
  bytes(kind);
  event.kind = static_cast<Event::Kind>(kind);
  bytes(event.name);
  for (double* x : {&event.t, &event.before, &event.after, &event.impulse, &event.energy}) bytes(*x);
}

template <class Bytes>
void fields(Bytes& bytes, RunSummary::Peak& peak) {
  bytes(peak.force), bytes(peak.joint), bytes(peak.t);
}

template <class Bytes>
void fields(Bytes& bytes, Violation& violation) {
  bytes(violation.position), bytes(violation.velocity), bytes(violation.acceleration);
}

// What a list has more than at the last checkpoint.
template <class Bytes, class T>
void new_ones(Bytes& bytes, std::vector<T>& list, std::size_t& saved) {
  std::uint64_t count = list.size() - saved;
  bytes(count);
  if constexpr (Bytes::kReads) list.resize(saved + count);
  for (; saved < list.size(); ++saved) fields(bytes, list[saved]);
}

}  // namespace trammel::simulation
