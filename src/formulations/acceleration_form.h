// AccelerationForm: equations that give v̇ from q, v and t, as the first-order system y = (q, u, x, W),
// where W is the work of forces without a potential and of drivers, if there are any.
//
// A formulation of index 1 is one function: accelerate(), with u = v. The canonical ones have momenta for u,
// and say how these follow from q and v, and these from them. What is common is here: packing, auxiliary
// states, and the projections every k steps that keep Φ and Φ̇ from drifting.
#pragma once

#include <memory>

#include "forms/ode_form.h"
#include "formulations/projection.h"
#include "formulations/rank_watch.h"
#include "trammel/plan.h"

namespace trammel {

class AccelerationForm : public OdeForm {
 public:
  // scale: what counts as one for each entry of u.
  AccelerationForm(std::shared_ptr<const System> system, const Plan& plan, bool needs_rank,
                   const std::vector<double>& scale);

  int size() const override {
    const Sizes& n = system_->sizes();
    return n.q + static_cast<int>(motion_) + n.states + (system_->has_work() ? 1 : 0);
  }
  int positions() const override { return system_->sizes().q; }
  std::span<const double> scale() const override { return scale_; }
  void pack(const State& state, std::span<double> y) override;
  Report unpack(double t, std::span<const double> y, State& state) override;
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
  // u from q, v, t.
  virtual void pack_motion(const State& s, std::span<double> u);
  // v from u and the state's q, x, t; may correct q.
  [[nodiscard]] virtual Report unpack_motion(std::span<const double> u, State& s);
  // u̇ at a state just unpacked, with ẋ in the terms, and v̇ where work depends on it.
  [[nodiscard]] virtual Report motion_rate(State& s, std::span<double> u_dot);

  // Nothing of a factor crosses a step, so that a copied State resumes to the same bits.
  virtual void forget_factors() {}
  std::span<double> motion_scale() {
    return std::span(scale_).subspan(system_->position_scale().size(), motion_);
  }

  std::shared_ptr<const System> system_;
  Plan plan_;
  Terms terms_;

 private:
  std::size_t motion_;  // size of u
  std::vector<double> scale_;
  State work_;  // where rates are taken
  Projector projector_;
  RankWatch watch_;
  std::vector<double> moved_;
};

std::unique_ptr<AccelerationForm> make_acceleration_form(std::shared_ptr<const System> system,
                                                         const Plan& plan);

}  // namespace trammel
