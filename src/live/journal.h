// Journal: every edit of a live run with the step at which it was applied, one JSON value a line.
//
// The first line has the model's text and how it was opened; an edit's line also has a checksum of the
// state's bits before it; the last has that of the end. So replay() can tell whether a motion is the same to
// the bit.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "live/json_fields.h"
#include "trammel/mechanism.h"
#include "trammel/state.h"

namespace trammel::live {

// How a model was opened.
struct LiveSource {
  std::string path;
  std::string text;
  std::vector<std::string> settings;        // as of --set, or options: "--step=0.01"
  std::shared_ptr<const Mechanism> read{};  // of the text with the settings; null: not read yet
};

// Of t, q, v, states, inputs and memories: the same bits, the same sum.
std::string checksum(const State& state);

class Journal {
 public:
  Journal() = default;  // kept in memory
  // Appended to a file, which is made with the first edit.
  explicit Journal(std::string path) : path_(std::move(path)) {}

  // Makes way for the file: an older journal there gets '.old' before its ending. Throws std::runtime_error
  // when it could not be written, or is something else than a journal.
  void prepare() const;
  void begin(const LiveSource& source);
  void add(long step, const Json& edit, const State& before);
  void end(long step, const State& state);
  long edits() const { return edits_; }  // written down
  const std::string& path() const { return path_; }
  // All of it so far.
  std::string text();

 private:
  void line(const Json& json);

  std::string path_, header_, memory_;
  std::ofstream file_;
  long edits_ = 0;
};

struct Replay {
  bool identical = true;
  bool cut = false;        // the last line is not complete, and was left out
  std::string difference;  // the first
  long steps = 0, edits = 0;
  double t = 0;
  std::string end;     // checksum of the last state
  std::string yaml;    // the model as it was left; empty: a file cannot say it
  std::string unsaid;  // then: why
};

// Runs a journal again. Throws std::runtime_error when it cannot be read. `ask` is called after each step;
// what it throws ends the replay.
Replay replay(const std::string& text, const std::function<void()>& ask = {});

}  // namespace trammel::live
