// Progress of long work on a terminal, and Ctrl-C that ends it with what there is.
#pragma once

#include <chrono>
#include <string>

namespace trammel::app {

// A line that is rewritten in place, on a terminal only.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether it is time for another line; `since`: seconds since the last one.
  bool is_due(double part, double& since) const;
  void show(double part, const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_, drawn_ = false;
  int percent_ = -1;
  Clock::time_point drawn_at_ = Clock::now();
};

// From now on the first Ctrl-C is only remembered; a second one ends the program.
void remember_interrupt();
bool is_interrupted();

}  // namespace trammel::app
