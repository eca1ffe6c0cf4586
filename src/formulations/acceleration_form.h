// AccelerationForm: equations that give v̇ from q, v and t, as the first-order system y = (q, v, x, W),
// where W is the work of forces without a potential and of drivers, if there are any.
//
// A formulation of index 1 is one function: accelerate(). What is common is here: packing, auxiliary states,
// and the projections every k steps that keep Φ and Φ̇ from drifting.
#pragma once

#include <memory>

#include "forms/ode_form.h"
#include "formulations/projection.h"
#include "formulations/rank_watch.h"
#include "trammel/plan.h"

namespace trammel {

class AccelerationForm : public OdeForm {
 public:
  AccelerationForm(std::shared_ptr<const System> system, const Plan& plan, bool needs_rank);

  int size() const override {
    const Sizes& n = system_->sizes();
    return n.q + n.v + n.states + (system_->has_work() ? 1 : 0);
  }
  int positions() const override { return system_->sizes().q; }
  std::span<const double> scale() const override { return scale_; }
  void pack(const State& state, std::span<double> y) const override;
  void unpack(double t, std::span<const double> y, State& state) const override;
  Report rate(double t, std::span<const double> y, std::span<double> y_dot) override;
  Report accepted(State& state, double h, Kept& kept, Violation& left) override;

  // v̇ and λ from q, v, t; terms() is then evaluated there.
  [[nodiscard]] virtual Report accelerate(State& s) = 0;
  // Why this mechanism cannot be solved so, before it starts; empty when it can.
  std::string refusal(const State& s);
  // After a step of size h from s that failed: says so when it met a singular position, whatever gave up
  // first.
  void blame_singularity(const State& s, double h, Report& report);
  virtual std::string name() const = 0;

 protected:
  std::shared_ptr<const System> system_;
  Plan plan_;
  Terms terms_;

 private:
  std::vector<double> scale_;
  mutable State work_;  // where rates are taken
  Projector projector_;
  RankWatch watch_;
  std::vector<double> moved_;
};

std::unique_ptr<AccelerationForm> make_acceleration_form(std::shared_ptr<const System> system,
                                                         const Plan& plan);

}  // namespace trammel
