// Events: what happens between two steps and changes the motion. A coordinate meets its end-stop and bounces
// or comes to rest there, or lets go of it; a function of the caller's own changes its sign; a condition ends
// the run.
//
// Within a step the motion is looked at where its rule knows it (dense output): between three looks a watched
// value is taken for a parabola that errs by twice what two more looks show; where it might leave its range,
// the halves are looked at. Other rules are looked at at the ends of steps, and where the cubic through
// values and rates there leaves its range between them (event_search.cpp).
//
// An event is located by repeating the step with shorter ones from the same state, until its time is known to
// 1e-14 s where a watched value passes a bound, else to 1e-10 s: every plan can do so. A coordinate that
// begins a step at its limit is seen to meet it again where it passes it by 1e-10 of its highest fall, and is
// then taken to the limit. The velocity then jumps, or the coordinate comes to rest (impact.h); a stop
// holds until it would have to pull. At a switch (switches.h) what acts changes its branch; one that goes
// back and forth within a step has no branch for a while (chatter.h).
//
// A step that passes a smooth pulse unseen is repeated as well, and ends where the pulse begins (passages.h).
//
// Dry friction sticks where its speed comes to zero, and slips where it would have to hold more than it can
// (stiction.h).
//
// A rolling contact that would need more friction than it has, or a pull, is reported; the motion goes on as
// if it had them, or ends there. So are teeth that would have to press with another flank than the given one,
// and cams that would have to pull.
#pragma once

#include <cmath>
#include <functional>

#include "simulation/chatter.h"
#include "simulation/passages.h"
#include "simulation/pieces.h"
#include "simulation/stiction.h"
#include "simulation/switches.h"

namespace trammel::simulation {

// One of the caller's own, of which a change of sign is an event.
struct FunctionOfState {
  std::string name;
  std::function<double(const State&)> value;
  bool ends = false;  // the run
};

// By function: its sign after the last change, for it may be zero there.
inline constexpr MemorySlot kCrossings{"crossings", Lifetime::run};

class Events {
 public:
  // Steps the running simulation by h.
  using Step = std::function<StepResult(double h)>;

  Events(Running& running, Pieces& pieces, Step step, std::vector<FunctionOfState> functions);

  // Whether a mechanism has any.
  static bool any(const Mechanism& m);

  // Stops that hold from the start; refused when a coordinate lies beyond one.
  [[nodiscard]] Report start();
  // The force of a contact may come and go within a long step: it wants to be looked at as often as rows are
  // kept, as does a condition that is not made of comparisons.
  bool need_landings() const;
  // Advances by h through all events, or to the one that ends the run. own_size: by one step of a size that
  // the method chooses, at most h, and what events come before it.
  [[nodiscard]] StepResult advance(double h, bool own_size = false);

 private:
  using Sides = Holds;  // which limit of each stop is met
  // Beyond a limit, of the reach of its stop: above what a step leaves of a constraint.
  static constexpr double kBeyond = 1e-10;
  // An acceleration off the stop, per second squared of what counts as one, that is more than rounding.
  static constexpr double kOff = 1e-8;
  // The values of a coordinate or a switch at which no event happens.
  struct Range {
    double below, above;
  };
  static bool is_bound(const Range& range) {
    return std::isfinite(range.below) || std::isfinite(range.above);
  }
  // Watched values at a time within a step.
  struct Look {
    double at;  // s, from the step's beginning
    std::vector<double> values;
    std::vector<double> functions;
    std::vector<double> pulls;  // by stop and friction, while one holds or sticks
  };

  // Watched values at one end of a step, and their changes in it at their rates there.
  struct Rates {
    State at;
    double h = 0;
    std::vector<double> values, changes;
  };

  void read(const State& state);
  double coordinate(std::size_t k) const { return watched_[watched_coordinate(k)]; }
  double speed(std::size_t k) const { return watched_[watched_speed(k)]; }
  bool ends() const { return !running_.mechanism.stop_when.empty() && watched_.back() != 0; }
  Sides met() const;
  bool any_met() const;
  std::size_t watched_switch(std::size_t k) const { return stiction_.watched_speed(stiction_.size()) + k; }
  std::size_t watched_signal(std::size_t k) const { return watched_switch(switches_.size()) + k; }
  std::size_t watched_by_range(std::size_t range) const;
  bool turned(std::size_t friction) const;
  bool any_turned() const;
  bool passed(std::size_t k) const;
  bool any_passed() const;
  bool crossed(std::size_t k) const;
  bool any_crossed() const;
  bool decide();
  bool any_at_level() const;
  [[nodiscard]] Report take_sides(double h, std::vector<Event>& events);
  [[nodiscard]] Report refusal() const;
  [[nodiscard]] Report close_hairs();
  Holds pressed();
  [[nodiscard]] Report rest_on_stops();
  void set_ranges();
  Range range_of_stop(std::size_t k) const;
  Range range_of_function(std::size_t k) const;
  double beyond() const;
  bool any_holds() const;
  std::vector<double> pulls(const State& state);
  bool any_lets_go(const State& state);
  Holds without_pull(const State& state);
  std::vector<double> lost(const State& state, std::vector<Event>* events);
  const std::vector<double>& remembered() const;
  bool happened(const State& state);
  bool is_switch(std::size_t range) const {
    return range >= scale_.size() && range < scale_.size() + switches_.size();
  }
  void read_rates(const State& at, double h, bool is_read, Rates& out);
  const std::vector<double>& dips(double h);
  double dipped_by(double by, double h);
  Look look(double at);
  bool clear(const Look& a, const Look& q, const Look& m, const Look& r, const Look& b) const;
  bool seen(const Look& one);
  double search(const Look& a, const Look& m, const Look& b);
  double deepest(double by, double h);
  double within(double h);
  void read_signals(const State& state, std::vector<double>& values);
  const std::vector<double>& state_rates(const State& state);
  void derive_states(const State& at, double aside);
  void derive_accelerations(const State& at, double aside);
  void go_aside(const State& at, double by);
  void read_end(const State& at, double h, bool has_jerk, Passages::End& end);
  double pulse_within(double h, bool dense);
  bool happened_by(double h);
  [[nodiscard]] StepResult move(double h);
  [[nodiscard]] bool step_instead(double h, StepResult& total);
  [[nodiscard]] bool end_at_pulse(double& taken, bool dense, StepResult& total);
  [[nodiscard]] bool locate(double h, StepResult& total);
  void go_to_limit(const Sides& sides);
  void go_to_zero_speed();
  void go_back(double by);
  [[nodiscard]] bool handle(StepResult& total);

  Running& running_;
  Pieces& pieces_;
  Step step_;
  Stiction stiction_;
  std::vector<Switch> switches_;
  Chatter chatter_;  // of these switches
  Passages passages_;
  std::vector<double> watched_, scale_;
  std::vector<Range> ranges_;  // of stops, then of switches, then of frictions' speeds
  std::vector<FunctionOfState> functions_;
  std::vector<double> values_;          // of the functions, at the state last read
  std::vector<Range> function_ranges_;  // from zero on; without bounds where its sign is not known
  std::vector<const Joint*> contacts_;  // whose force is limited
  State start_;                         // of an advance
  double whole_ = 0;                    // s, its length
  State before_, early_, late_;
  State aside_;  // a little before or after the end of a step, for derivatives
  std::vector<double> way_, signals_, signals_before_, signals_after_;
  std::vector<double> first_, second_, jerk_, rates_after_;  // derivatives there, of states and accelerations
  Rates first_rates_, last_rates_;
  std::vector<double> dips_;     // s, into the step
  std::vector<double> changes_;  // of comparisons, parts of the step
  Passages::End first_end_, last_end_;
  StepResult early_part_, late_part_;  // the steps that led there
  int looks_ = 0;                      // into this step
};

}  // namespace trammel::simulation
