#include "kernel/equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <variant>

#include "expressions/value_over.h"

namespace trammel::kernel {
namespace {

template <int D>
class Recording {
 public:
  using Vector = std::array<Recorded, D>;

  Recording(const system::NaturalSystem<D>& system, Graph& graph)
      : system_(system), parts_(system.parts()), graph_(graph), t_(graph.input("t", 0)) {
    const auto& basis = parts_.basis;
    for (int e = 0; e < basis.elements(); ++e) {
      Vector x, v;
      for (int i = 0; i < D; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (e < basis.free_elements()) {
          x[k] = graph.input("q", D * e + i);
          v[k] = graph.input("v", D * e + i);
          q_.push_back(x[k]);
          v_.push_back(v[k]);
        } else {
          x[k] = basis.initial(e)[i];
        }
      }
      x_.push_back(x);
      x_dot_.push_back(v);
    }
    along_.seed(t_, 1);
    for (std::size_t k = 0; k < q_.size(); ++k) along_.seed(q_[k], v_[k]);
  }

  KernelEquations run(bool all_angles) {
    record_rows();
    record_forces();
    graph_.label("angles");
    for (const int k : system_.angle_measures())
      if (all_angles) measure(k);
    return std::move(out_);
  }

 private:
  // The value of a measure; an angle with its turns.
  Recorded measure(int k) {
    if (const auto known = measures_.find(k); known != measures_.end()) return known->second;
    const system::Measure<D>& m = parts_.measures[static_cast<std::size_t>(k)];
    if (m.kind() == system::MeasureKind::gap) throw std::domain_error("the gap of a cam");
    Recorded value = m.value(x_);
    if (m.kind() == system::MeasureKind::angle) {
      constexpr double kTurn = 2 * std::numbers::pi;
      const Recorded before = graph_.input("angle", static_cast<int>(out_.angles.size()));
      value = value + kTurn * round((before - value) * (1 / kTurn));
      out_.angles.push_back(value);
      out_.angle_measures.push_back(k);
    }
    measures_.emplace(k, value);
    return value;
  }

  Recorded value(const expressions::Expression& f) {
    if (!f.crossings(0).empty()) throw std::domain_error(fmt::format("the kink or jump of '{}'", f.text()));
    const auto& sources = parts_.sources;
    std::vector<Recorded> signals(std::max<std::size_t>(sources.size(), 1));
    signals[0] = t_;
    for (const int slot : f.slots()) {
      if (slot == 0) continue;
      const system::SignalSource source = sources[static_cast<std::size_t>(slot)];
      if (source.measure < 0) throw std::domain_error(fmt::format("the state or input in '{}'", f.text()));
      const Recorded s = measure(source.measure);
      signals[static_cast<std::size_t>(slot)] = source.rate ? rate(s) : s;
    }
    return expressions::value_over<Recorded>(f.tape(), signals);
  }

  Recorded rate(const Recorded& x) { return along_.of(x); }

  void add_row(const Recorded& Phi) {
    const int row = static_cast<int>(out_.Phi.size());
    const std::vector<Recorded> slopes = gradient(graph_, Phi, q_);
    for (std::size_t k = 0; k < slopes.size(); ++k)
      if (!slopes[k].is(0)) out_.Phi_v.push_back({row, static_cast<int>(k), slopes[k]});
    const Recorded Phi_t = gradient(graph_, Phi, {t_})[0];
    out_.Phi.push_back(Phi);
    out_.Phi_t.push_back(Phi_t);
    // γ = Φ̈ at v̇ = 0: v is held while the rate is differentiated
    out_.gamma.push_back(along_.of(along_.of(Phi)));
  }

  void label_row() {
    const system::RowOwner& owner = system_.rows()[out_.Phi.size()];
    using Kind = system::RowOwner::Kind;
    graph_.label(fmt::format("{} {}",
                             owner.kind == Kind::joint    ? "joint"
                             : owner.kind == Kind::driver ? "driver"
                                                          : "body",
                             owner.name));
  }

  template <class Pool>
  void none_of(const Pool& pool, const char* what) const {
    if (!pool.empty()) throw std::domain_error(what);
  }

  void record_rows() {
    const auto& pools = parts_.constraints;
    for (const auto& part : std::get<std::vector<system::Dot<D>>>(pools)) {
      label_row();
      add_row(part.value(x_)[0]);
    }
    for (const auto& part : std::get<std::vector<system::Coincident<D>>>(pools)) {
      label_row();
      for (const Recorded& Phi : part.value(x_)) add_row(Phi);
    }
    for (const auto& part : std::get<std::vector<system::Coupled<D>>>(pools)) {
      label_row();
      if (part.flank() >= 0) throw std::domain_error("teeth that press on either flank");
      Recorded Phi = -value(part.f());
      for (const auto& one : part.parts()) Phi += one.coefficient * measure(one.measure);
      add_row(Phi);
    }
    none_of(std::get<std::vector<system::Relation<D>>>(pools), "a coupler");
    none_of(std::get<std::vector<system::OnCurve<D>>>(pools), "a point on a curve");
    none_of(std::get<std::vector<system::UserRow<D>>>(pools), "a constraint of one's own");
    none_of(std::get<std::vector<system::Slip<D>>>(pools), "rolling or a knife edge");
    none_of(std::get<std::vector<system::RateSum<D>>>(pools), "a constraint of velocities");
    if constexpr (D == 3) none_of(std::get<std::vector<system::DiskContact>>(pools), "a rolling disk");
  }

  void act(const system::LinearForm<D>& form, const Vector& force) {
    for (const auto& term : form.terms) {
      if (term.element >= parts_.basis.free_elements()) continue;
      const auto at = static_cast<std::size_t>(D * term.element);
      for (std::size_t i = 0; i < D; ++i) out_.Q[at + i] += term.weight.alpha * force[i];
      if constexpr (D == 2) {
        out_.Q[at] += term.weight.beta * force[1];
        out_.Q[at + 1] -= term.weight.beta * force[0];
      }
    }
  }

  static Vector scaled(const Recorded& factor, const Vector& x) {
    Vector y;
    for (std::size_t i = 0; i < D; ++i) y[i] = factor * x[i];
    return y;
  }

  void record_spring(const system::Spring<D>& spring) {
    const system::LinearLaw& law = spring.law();
    const Vector d = spring.gap().form.at(x_), d_dot = spring.gap().form.at(x_dot_);
    if (law.smooth_at_zero() && law.damping == 0) {
      act(spring.gap().form, scaled(-law.stiffness, d));
      return;
    }
    const Recorded S = sqrt(system::product(d, d)), rate = system::product(d, d_dot) / S;
    const Recorded F = -(law.stiffness * (S - law.free) + law.damping * rate + law.preload);
    act(spring.gap().form, scaled(F / S, d));
  }

  Recorded magnitude(const system::Effort<D>& effort) {
    if (const auto* law = std::get_if<system::ExpressionLaw>(&effort.law())) return law->sign * value(law->f);
    const auto* on = std::get_if<system::MeasureLever>(&effort.lever());
    if (on == nullptr) throw std::domain_error("a force without a measure");
    const Recorded S = measure(on->measure), S_dot = rate(S);
    if (const auto* law = std::get_if<system::LinearLaw>(&effort.law()))
      return -(law->stiffness * (S - law->free) + law->damping * S_dot + law->preload);
    const auto& law = std::get<system::FrictionLaw>(effort.law());
    return -(law.coulomb * tanh(S_dot / law.transition) + law.viscous * S_dot);
  }

  void record_effort(const system::Effort<D>& effort) {
    const Recorded F = magnitude(effort);
    if (const auto* on = std::get_if<system::MeasureLever>(&effort.lever())) {
      const std::vector<Recorded> slopes = gradient(graph_, measure(on->measure), q_);
      for (std::size_t k = 0; k < slopes.size(); ++k) out_.Q[k] += F * slopes[k];
    } else if (const auto* directed = std::get_if<system::DirectedLever<D>>(&effort.lever())) {
      act(directed->point.form, scaled(F, directed->direction.form.at(x_)));
    } else {
      const auto& torque = std::get<system::TorqueLever<D>>(effort.lever());
      for (const auto& e : torque.frame) {
        const Vector ev = e.form.at(x_);
        if constexpr (D == 2) {
          act(e.form, {-F * ev[1], F * ev[0]});
        } else {
          const Vector n = torque.axis.form.at(x_);
          const Recorded w = torque.weight() * F;
          act(e.form, {w * (n[1] * ev[2] - n[2] * ev[1]), w * (n[2] * ev[0] - n[0] * ev[2]),
                       w * (n[0] * ev[1] - n[1] * ev[0])});
        }
      }
    }
  }

  void record_forces() {
    out_.Q.assign(system_.weight().begin(), system_.weight().end());
    graph_.label("forces");
    const auto& pools = parts_.forces;
    for (const auto& spring : std::get<std::vector<system::Spring<D>>>(pools)) record_spring(spring);
    for (const auto& effort : std::get<std::vector<system::Effort<D>>>(pools)) record_effort(effort);
    none_of(std::get<std::vector<system::TendonForce<D>>>(pools), "a tendon");
    none_of(std::get<std::vector<system::BushingForce<D>>>(pools), "a bushing");
    none_of(std::get<std::vector<system::UserEffort<D>>>(pools), "a force of one's own");
    if constexpr (D == 3) none_of(std::get<std::vector<system::RotorTorque>>(pools), "a rotor");
    none_of(parts_.armatures, "an armature");
    none_of(parts_.state_rates, "states");
    for (std::size_t i = 0; i < out_.Q.size(); ++i) {
      const std::vector<Recorded> by_q = gradient(graph_, out_.Q[i], q_),
                                  by_v = gradient(graph_, out_.Q[i], v_);
      for (std::size_t k = 0; k < by_q.size(); ++k) {
        if (!by_q[k].is(0)) out_.K.push_back({static_cast<int>(i), static_cast<int>(k), -by_q[k]});
        if (!by_v[k].is(0)) out_.C.push_back({static_cast<int>(i), static_cast<int>(k), -by_v[k]});
      }
    }
  }

  const system::NaturalSystem<D>& system_;
  const system::NaturalParts<D>& parts_;
  Graph& graph_;
  Recorded t_;
  std::vector<Vector> x_, x_dot_;
  std::vector<Recorded> q_, v_;
  Tangents along_{graph_};
  std::map<int, Recorded> measures_;
  KernelEquations out_;
};

}  // namespace

template <int D>
KernelEquations record_equations(const system::NaturalSystem<D>& system, bool all_angles, Graph& graph,
                                 std::string& refusal) {
  try {
    return Recording<D>(system, graph).run(all_angles);
  } catch (const std::domain_error& missing) {
    refusal = missing.what();
    return {};
  }
}

template KernelEquations record_equations<2>(const system::NaturalSystem<2>&, bool, Graph&, std::string&);
template KernelEquations record_equations<3>(const system::NaturalSystem<3>&, bool, Graph&, std::string&);

}  // namespace trammel::kernel
