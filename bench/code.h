// Code: a program that can run the problems — Trammel, a yardstick, a peer — and Run, one motion in progress.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problem.h"
#include "system/system.h"

namespace trammel::bench {

// A problem, assembled: every code starts from the same poses and velocities.
struct Subject {
  explicit Subject(const Problem& problem);

  Problem problem;
  Mechanism mechanism;
  std::vector<Sample> reference;
  State natural;            // the assembled state in natural coordinates
  std::vector<Pose> start;  // in order of the mechanism's bodies
};

// A way to integrate, of which only the step or the tolerance is still open.
struct Rule {
  std::string name;
  bool by_tolerance = false;
};

struct Setting {
  Rule rule;
  double value = 0;  // s, or the tolerance
};

class Run {
 public:
  virtual ~Run() = default;
  // Goes on to that time; false when the code gives up.
  [[nodiscard]] virtual bool advance(double t) = 0;
  // Where the bodies are and how they move, in order of the mechanism's bodies.
  virtual std::vector<Pose> poses() = 0;
  virtual long steps() const = 0;
};

class Code {
 public:
  virtual ~Code() = default;
  virtual std::string name() const = 0;
  virtual bool is_peer() const = 0;
  // The stated small list of rules; none: it has nothing for this problem.
  virtual std::vector<Rule> rules(const Problem&) const = 0;
  // Those whose cost per step is followed as a mechanism grows.
  virtual std::vector<Rule> growth_rules(const Problem&) const = 0;
  // Throws std::runtime_error, saying why, when it cannot run the problem so.
  virtual std::unique_ptr<Run> start(const Subject&, const Setting&) const = 0;
};

// Trammel, the yardsticks, then the peers that were found when this was built.
std::vector<std::unique_ptr<Code>> all_codes();
// The peers that were not.
std::vector<std::string> missing_peers();

std::unique_ptr<Code> make_trammel();
std::unique_ptr<Code> make_yardsticks();
std::unique_ptr<Code> make_simbody();
std::unique_ptr<Code> make_mujoco();
std::unique_ptr<Code> make_ode();

// What a run with steps of one length shares: whole steps to the time asked for.
class FixedSteps : public Run {
 public:
  explicit FixedSteps(double step) : step_(step) {}
  bool advance(double t) final;
  long steps() const final { return done_; }

 protected:
  virtual bool step(double h) = 0;

 private:
  double step_;
  long done_ = 0;
};

}  // namespace trammel::bench
