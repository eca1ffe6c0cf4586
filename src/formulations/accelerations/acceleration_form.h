// AccelerationForm: equations that give v̇ from q, v and t, as the first-order system y = (q, v, x, W),
// where W is the work of forces without a potential and of drivers, if there are any.
//
// A formulation of index 1 is one function: accelerate(). What is common is here: packing, auxiliary states,
// and the projections every k steps that keep Φ and Φ̇ from drifting. Formulations that let something else
// stand for v in y (momenta), or for q and v (independent coordinates, which may change after a step), say
// what.
#pragma once

#include <memory>

#include "forms/ode_form.h"
#include "formulations/projection/projection.h"
#include "formulations/rows/rank_watch.h"
#include "trammel/resolved_plan.h"

namespace trammel::formulations {

class AccelerationForm : public forms::OdeForm {
 public:
  AccelerationForm(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan, bool needs_rank);

  int positions() const override { return motion_.positions; }
  std::span<const double> scale() const override { return scale_; }
  std::size_t felt() const override { return scale_.size() - (system_->has_work() ? 1 : 0); }
  void pack(const State& state, std::vector<double>& y) override;
  Report unpack(double t, std::span<const double> y, State& state) override;
  Report rate(double t, std::span<const double> y, std::span<double> y_dot) override;
  Report position_rate(double t, std::span<const double> y, std::span<double> y_dot) override;
  Report accepted(State& state, double h, forms::Kept& kept, Violation& left) override;
  Report hold_positions(State& state) override;
  bool judged_by_projection() const override { return judged_; }
  bool guard(bool on) override;
  bool rate_of_accepted(const State& s, std::span<double> y, std::span<double> y_dot) const override;

  // v̇ and λ from q, v, t; terms() is then evaluated there.
  [[nodiscard]] virtual Report accelerate(State& s) = 0;
  // Why this mechanism cannot be solved so, before it starts; empty when it can.
  virtual std::string refusal(const State& s);
  // Memory of a state that starts a run.
  virtual void prepare(State&) {}
  // After a step of size h from s that failed: says so when it met a singular position, whatever gave up
  // first.
  void blame_singularity(const State& s, double h, Report& report);
  virtual std::string name() const = 0;
  // From now on the rule compares each step with its projection, where there is one after every step: then a
  // change of branch needs no other watch. Tolerances near rounding cannot be held so next to a singular
  // position.
  void judge_by_projection();

 protected:
  // What stands for q and v at the beginning of y. take_up() comes first, then the others for that state.
  struct Motion {
    int positions = 0, velocities = 0;
  };
  virtual Motion take_up(State&) { return {system_->sizes().q, velocities()}; }
  virtual void motion_scale(std::span<double> scale) const;
  virtual void pack_motion(const State& s, std::span<double> y);
  // t is that of y; q may be where a search for the new one starts.
  [[nodiscard]] virtual Report unpack_motion(std::span<const double> y, State& s);
  // At a state just unpacked, with ẋ in the terms, and v̇ where work depends on it.
  [[nodiscard]] virtual Report motion_rate(State& s, std::span<double> y_dot);

  // True where y holds q and v themselves, so that their rates are N(q) v and v̇.
  virtual bool holds_motion() const { return true; }

  // What stands for v alone, where q stands for itself.
  virtual int velocities() const { return system_->sizes().v; }
  virtual void velocity_scale(std::span<double> scale) const;
  virtual void pack_velocity(const State& s, std::span<double> u);
  // v from u and the state's q, x, t; may correct q.
  [[nodiscard]] virtual Report unpack_velocity(std::span<const double> u, State& s);
  [[nodiscard]] virtual Report velocity_rate(State& s, std::span<double> u_dot);

  // Nothing of a factor crosses a step, so that a copied State resumes to the same bits.
  virtual void forget_factors() {}
  // After a step: other coordinates from here on, if need be.
  virtual void renew(State&, const Violation&, forms::Kept&) {}
  // Constraints that are independent away from singular positions.
  virtual int rank() const { return system_->sizes().rows; }

  // Whether constraints depend on each other here and a short way off; of positions only.
  bool is_redundant(const State& s);
  // Next to a singular position, at the terms.
  bool close_to_singular() { return watch_.close_to_singular(terms_, rank()); }

  std::shared_ptr<const system::Dynamics> system_;
  ResolvedPlan plan_;
  system::Terms terms_;

 private:
  void set_scale(const State& s);
  double work_scale(const State& s);
  double trace_of_energy();
  bool projection_due(State& s) const;

  Motion motion_;
  std::vector<double> scale_, start_;  // start_: positions last packed or accepted
  State work_;                         // where rates are taken
  Projector projector_;
  RankWatch watch_;
  double trace_ = 0;  // J
  bool needs_rank_, judged_ = false, guarded_ = false;
  std::vector<double> moved_;
};

}  // namespace trammel::formulations
