// Pieces: the motion within the last advance of a method's own size, for rows and pictures. Events divide it
// into smooth pieces.
//
// A piece is read from the method's dense output where that is as good as the tolerance; else by steps from
// the beginning of the piece to the time that is asked for. Where these fail the row is marked.
#pragma once

#include <vector>

#include "simulation/modes.h"

namespace trammel::simulation {

class Pieces {
 public:
  void clear() { count_ = 0; }
  // The next piece begins in the running state; dense: a step of the method's own size is to be taken.
  void begin(const Running& running, bool dense);
  // The method has stepped elsewhere since: its dense output is no longer that of the last piece.
  void lose_dense_output();
  // `state` as of t; the running state stays.
  [[nodiscard]] StepResult at(Running& running, double t, State& state, Wanted wanted);

 private:
  [[nodiscard]] static StepResult land(Running& running, const State& start, double t, State& state);

  struct Piece {
    State start;
    bool dense = false;
  };
  std::vector<Piece> all_;  // the first so many
  std::size_t count_ = 0;
};

}  // namespace trammel::simulation
