#include "system/natural/natural_system.h"

#include <algorithm>
#include <map>
#include <numbers>

#include "mechanism/signals.h"

namespace trammel {

template <int D>
NaturalSystem<D>::NaturalSystem(const Mechanism& mechanism, const std::vector<std::string>& watched,
                                Sharing sharing)
    : mechanism_(mechanism), parts_(lower<D>(mechanism, watched, sharing)) {
  const Basis<D>& basis = parts_.basis;
  rows_ = parts_.rows;
  for (int e = basis.free_elements(); e < basis.elements(); ++e)
    for (int i = 0; i < D; ++i) fixed_.push_back(basis.initial(e)[i]);
  still_.assign(fixed_.size(), 0);
  for (const SharedPlace& place : basis.places()) flows_.push_back(share_flows(place));

  int at = 0;
  for (const Measure<D>& m : parts_.measures) {
    measure_start_.push_back(at);
    at += m.scratch_size();
    if (m.kind() == MeasureKind::angle)
      angle_measures_.push_back(static_cast<int>(measure_start_.size()) - 1);
  }
  measure_scratch_ = static_cast<std::size_t>(at);
  expression_scratch_ = parts_.expression_scratch + 64;
  signal_count_ = parts_.sources.size();

  length_scale_ = basis.length_scale();
  for (int e = 0; e < basis.free_elements(); ++e)
    coordinate_scale_.insert(coordinate_scale_.end(), D, basis.is_point(e) ? length_scale_ : 1);
  build_mass();
  build_patterns();
  build_readings();
  sizes_ = {D * basis.free_elements(),
            D * basis.free_elements(),
            jacobian_.rows(),
            holonomic_rows(),
            static_cast<int>(parts_.state_rates.size()),
            static_cast<int>(mechanism.inputs.size()),
            static_cast<int>(angle_measures_.size())};
}

template <int D>
void NaturalSystem<D>::build_mass() {
  const Basis<D>& basis = parts_.basis;
  const int n = D * basis.free_elements();
  inertia_scale_.assign(static_cast<std::size_t>(n), 0);
  gravity_.assign(static_cast<std::size_t>(n), 0);
  std::map<std::pair<int, int>, double> sum;  // (column, row) of the lower triangle
  for (int i = 0; i < n; ++i) sum[{i, i}] = 0;
  for (std::size_t b = 0; b < basis.bodies().size(); ++b) {
    if (b == 0) {
      com_.emplace_back();
      continue;
    }
    const NaturalBody<D>& body = basis.bodies()[b];
    for (std::size_t i = 0; i < body.elements.size(); ++i) {
      const int e = body.elements[i];
      if (e >= basis.free_elements()) continue;
      const double scale = body.is_point[i] ? body.mass : body.mass * body.size * body.size;
      for (int k = 0; k < D; ++k) inertia_scale_[static_cast<std::size_t>(D * e + k)] += scale;
      for (std::size_t j = 0; j < body.elements.size(); ++j) {
        const int f = body.elements[j];
        if (f >= basis.free_elements()) continue;
        const Mat<D> block = body.inertia[i][j].matrix();
        for (int r = 0; r < D; ++r)
          for (int c = 0; c < D; ++c)
            if (D * e + r >= D * f + c && block(r, c) != 0) sum[{D * f + c, D * e + r}] += block(r, c);
      }
    }
    com_.push_back(basis.material(static_cast<int>(b), true, mechanism_.bodies[b - 1].com));
    for (const auto& term : com_.back().form.terms)
      if (term.element < basis.free_elements())
        Eigen::Map<Vec<D>>(gravity_.data() + D * term.element) +=
            term.weight.transposed(Vec<D>(body.mass * narrow<D>(mechanism_.gravity)));
  }
  for (const auto& [place, value] : sum) {
    mass_pattern_.column.push_back(place.first);
    mass_pattern_.row.push_back(place.second);
    mass_.push_back(value);
  }
}

template <int D>
void NaturalSystem<D>::build_patterns() {
  for_each_part(parts_.constraints, [&](const auto& part) { part.declare(jacobian_); });
  for_each_part(parts_.forces, [&](const auto& part) {
    part.declare(stiffness_, damping_);
    symmetric_tangent_ = symmetric_tangent_ && part.symmetric();
    has_work_ = has_work_ || !part.conservative();
  });
  rheonomic_ = !mechanism_.drivers.empty() || !mechanism_.constraints.empty();
  for (const auto& part : std::get<std::vector<RateSum<D>>>(parts_.constraints))
    rheonomic_ = rheonomic_ || part.rheonomic();
  has_work_ = has_work_ || rheonomic_;
}

template <int D>
void NaturalSystem<D>::build_readings() {
  const auto find = [&](const std::string& name) {
    const auto at = parts_.measure_by_name.find(name);
    return at == parts_.measure_by_name.end() ? -1 : at->second;
  };
  for (const NaturalBody<D>& body : parts_.basis.bodies()) {
    const auto at = std::find(angle_measures_.begin(), angle_measures_.end(), find(body.name + ".angle"));
    body_angle_.push_back(at == angle_measures_.end() ? -1 : static_cast<int>(at - angle_measures_.begin()));
  }
  for (const Joint& joint : mechanism_.joints) {
    const bool angle = has_angle(mechanism_, joint), slide = has_displacement(mechanism_, joint);
    const auto read = [&](const std::string& quantity, const std::string& unit) {
      const int measure = find(joint.name + "." + quantity);
      if (measure >= 0)
        joint_readings_.push_back(
            {joint.name, quantity, angle && slide ? quantity + "_rate" : "rate", unit, measure});
    };
    if (angle) read("angle", "rad");
    if (slide) read("displacement", "m");
  }
}

template <int D>
int NaturalSystem<D>::holonomic_rows() const {
  int rows = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    if (part.kHolonomic) rows += part.rows();
  });
  return rows;
}

template <int D>
Elements<D> NaturalSystem<D>::elements(const std::vector<double>& free, bool places) const {
  return {free.data(), places ? fixed_.data() : still_.data(), parts_.basis.free_elements()};
}

template <int D>
Motion<D> NaturalSystem<D>::motion(const State& s, Terms& terms) const {
  return {s.t,
          elements(s.q, true),
          elements(s.v, false),
          parts_.measures,
          measure_start_,
          terms.measures.data(),
          terms.signals,
          terms.scratch};
}

// What an angle should read at a start, turns included: what a driver makes it follow, or the difference of
// the bodies' given angles in the plane.
template <int D>
double NaturalSystem<D>::expected_angle(int measure, double t) const {
  const Measure<D>& m = parts_.measures[static_cast<std::size_t>(measure)];
  for (const auto& part : std::get<std::vector<Coupled<D>>>(parts_.constraints))
    if (part.is_driver() && part.first_measure() == measure) {
      std::vector<double> signals(signal_count_, 0.0), scratch(expression_scratch_, 0.0);
      signals[0] = t;
      return part.target(signals, scratch);
    }
  if (D == 3) return m.offset();
  const auto given = [&](std::size_t slot) {
    const int body = m.slots()[slot].sides.front().material.body;
    return body > kGroundBody ? mechanism_.bodies[static_cast<std::size_t>(body) - 1].angle : 0.0;
  };
  return given(2) - given(0);
}

template <int D>
State NaturalSystem<D>::initial_state() const {
  State s;
  const Basis<D>& basis = parts_.basis;
  for (int e = 0; e < basis.free_elements(); ++e)
    for (int i = 0; i < D; ++i) s.q.push_back(basis.initial(e)[i]);
  s.v.assign(s.q.size(), 0);
  s.a.assign(s.q.size(), 0);
  s.lambda.assign(rows_.size(), 0);
  for (const AuxiliaryState& x : mechanism_.states) s.x.push_back(x.initial);
  for (const Input& input : mechanism_.inputs) s.inputs.push_back(input.value);
  if (!angle_measures_.empty()) {
    auto& angles = s.remember("angles", angle_measures_.size());
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const Measure<D>& m = parts_.measures[static_cast<std::size_t>(angle_measures_[k])];
      angles[k] =
          with_turns(m.jet(elements(s.q, true)).f + m.offset(), expected_angle(angle_measures_[k], s.t));
    }
  }
  return s;
}

template <int D>
void NaturalSystem<D>::evaluate_measures(const State& s, Terms& terms, bool with_hessian, bool all) const {
  const Elements<D> x = elements(s.q, true), v = elements(s.v, false);
  for (std::size_t k = 0; k < parts_.measures.size(); ++k)
    if (all || parts_.measure_active[k])
      parts_.measures[k].evaluate(x, v, terms.measures.data() + measure_start_[k], with_hessian);
  // Angles count turns from the last accepted step.
  if (!angle_measures_.empty()) {
    const std::vector<double>* accepted = s.recall("angles");
    for (std::size_t k = 0; accepted && k < angle_measures_.size(); ++k) {
      double& angle = terms.measures[static_cast<std::size_t>(
          measure_start_[static_cast<std::size_t>(angle_measures_[k])])];
      angle = with_turns(angle, (*accepted)[k]);
    }
  }
  // Expression variables: t, states, inputs, then signals.
  terms.signals[0] = s.t;
  std::copy(s.x.begin(), s.x.end(), terms.signals.begin() + 1);
  std::copy(s.inputs.begin(), s.inputs.end(),
            terms.signals.begin() + 1 + static_cast<std::ptrdiff_t>(s.x.size()));
  for (std::size_t slot = 0; slot < parts_.sources.size(); ++slot)
    if (const SignalSource& source = parts_.sources[slot]; source.measure >= 0)
      terms.signals[slot] =
          terms.measures[static_cast<std::size_t>(measure_start_[static_cast<std::size_t>(source.measure)]) +
                         source.rate];
}

template <int D>
void NaturalSystem<D>::evaluate(const State& s, unsigned ask, Terms& terms) const {
  const bool tangent = ask & kAskTangent;
  if (!parts_.measures.empty() || signal_count_ > 0) evaluate_measures(s, terms, tangent, false);
  const Motion<D> m = motion(s, terms);
  if (ask & (kAskPosition | kAskGamma | kAskRates)) {
    std::size_t row = 0;
    for_each_part(parts_.constraints, [&](const auto& part) {
      const auto entry = static_cast<std::size_t>(jacobian_.start[row]);
      part.evaluate(m, ask,
                    {&terms.Phi[row], &terms.Phi_t[row], &terms.gamma[row], terms.Phi_v.data() + entry,
                     terms.Phi_v_dot.data() + entry});
      row += static_cast<std::size_t>(part.rows());
    });
  }
  if (ask & (kAskForces | kAskTangent)) {
    evaluate_forces(s, m, tangent, terms);
    evaluate_states(m, tangent, terms);
  }
}

template <int D>
void NaturalSystem<D>::evaluate_forces(const State& s, const Motion<D>& m, bool tangent, Terms& terms) const {
  std::copy(gravity_.begin(), gravity_.end(), terms.Q.begin());
  ForceOutput out{terms.Q.data(), tangent ? terms.K.data() : nullptr, tangent ? terms.C.data() : nullptr, 0,
                  0};
  for_each_part(parts_.forces, [&](const auto& part) {
    part.evaluate(m, out);
    if (!tangent) return;
    out.K += part.block_size();
    out.C += part.block_size();
  });
  // Gravity is linear in q up to a constant that the fixed elements add: V = −Σ Q_g·q − …
  double gravity = 0;
  for (std::size_t b = 1; b < com_.size(); ++b)
    gravity -=
        parts_.basis.bodies()[b].mass * narrow<D>(mechanism_.gravity).dot(com_[b].form(elements(s.q, true)));
  terms.potential = out.potential + gravity;
  terms.power = out.power;
}

template <int D>
void NaturalSystem<D>::evaluate_states(const Motion<D>& m, bool tangent, Terms& terms) const {
  const std::size_t n = parts_.state_rates.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Expression& f = parts_.state_rates[i];
    if (!tangent) {
      terms.x_dot[i] = f.value(m.signals, m.scratch);
      continue;
    }
    const std::size_t slots = f.slots().size();
    const std::span<double> g = m.scratch.first(slots);
    terms.x_dot[i] = f.gradient(m.signals, g, m.scratch.subspan(slots));
    std::fill_n(terms.x_dot_x.begin() + static_cast<std::ptrdiff_t>(i * n), n, 0.0);
    for (std::size_t k = 0; k < slots; ++k) {
      const auto slot = static_cast<std::size_t>(f.slots()[k]);
      if (slot >= 1 && slot <= n) terms.x_dot_x[i * n + slot - 1] = g[k];
    }
  }
}

template <int D>
std::string NaturalSystem<D>::accept_angles(State& s, Terms&, double step) const {
  if (angle_measures_.empty()) return {};
  std::vector<double>& angles = s.remember("angles", angle_measures_.size());
  for (std::size_t k = 0; k < angle_measures_.size(); ++k) {
    const Measure<D>& m = parts_.measures[static_cast<std::size_t>(angle_measures_[k])];
    const SlotJet<D> jet = m.jet(elements(s.q, true));
    double rate = 0;
    for (std::size_t i = 0; i < m.slots().size(); ++i)
      rate += jet.g[i].dot(m.slots()[i].form(elements(s.v, false)));
    // Half a turn per step at most, or the count of turns would be a guess.
    if (std::abs(rate * step) > std::numbers::pi)
      for (const auto& [name, index] : parts_.measure_by_name)
        if (index == angle_measures_[k]) return name;
    angles[k] = with_turns(jet.f + m.offset(), angles[k]);
  }
  return {};
}

template class NaturalSystem<2>;
template class NaturalSystem<3>;

}  // namespace trammel
