#include "system/natural/natural_system.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>

#include "math/spans.h"
#include "mechanism/signals.h"
#include "system/natural/armatures.h"
#include "system/natural/place.h"
#include "system/natural/places.h"
#include "system/natural/poses.h"
#include "system/natural/reaction_modes.h"
#include "system/natural/reactions.h"

namespace trammel::system {

template <int D>
NaturalSystem<D>::NaturalSystem(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                                Sharing sharing)
    : mechanism_(mechanism), parts_(lower<D>(mechanism, watched, sharing)) {
  const Basis<D>& basis = parts_.basis;
  rows_ = parts_.rows;
  for (int e = basis.free_elements(); e < basis.elements(); ++e)
    for (int i = 0; i < D; ++i) fixed_.push_back(basis.initial(e)[i]);
  still_.assign(fixed_.size(), 0);
  for (const SharedPlace& place : basis.places()) flows_.emplace_back(place);

  number_measures();
  expression_scratch_ = parts_.expression_scratch + 64;
  length_scale_ = basis.length_scale();
  for (int e = 0; e < basis.free_elements(); ++e)
    coordinate_scale_.insert(coordinate_scale_.end(), D, basis.is_point(e) ? length_scale_ : 1);
  build_mass();
  build_patterns();
  build_readings();
  dots_ = DotRows<D>(std::get<std::vector<Dot<D>>>(parts_.constraints), jacobian_, elements(fixed_, true));
  sizes_ = {D * basis.free_elements(),
            D * basis.free_elements(),
            jacobian_.rows(),
            holonomic_rows(),
            static_cast<int>(parts_.state_rates.size()),
            static_cast<int>(mechanism.inputs.size()),
            static_cast<int>(angle_measures_.size())};
  if (parts_.armatures.empty()) return;
  Terms terms = make_terms();
  evaluate(initial_state(), kAskPosition, terms);
  start_mass_ = terms.M;
}

template <int D>
void NaturalSystem<D>::number_measures() {
  int at = 0;
  for (const Measure<D>& m : parts_.measures) {
    const int k = static_cast<int>(measure_start_.size());
    measure_start_.push_back(at);
    at += m.scratch_size();
    const bool active = parts_.measure_active[static_cast<std::size_t>(k)];
    if (active) active_measures_.push_back(k);
    if (m.kind() != MeasureKind::angle) continue;
    if (active) active_angles_.push_back(static_cast<int>(angle_measures_.size()));
    angle_measures_.push_back(k);
  }
  measure_scratch_ = static_cast<std::size_t>(at);
  turns_.choose(parts_.measures, angle_measures_, !active_angles_.empty());
  signal_count_ = parts_.sources.size();
  for (std::size_t slot = 0; slot < parts_.sources.size(); ++slot)
    if (const auto& [measure, rate] = parts_.sources[slot]; measure >= 0)
      read_slots_.emplace_back(slot, measure_start_[static_cast<std::size_t>(measure)] + rate);
  for (const NaturalBody<D>& body : parts_.basis.bodies()) {
    const auto known = parts_.measure_by_name.find(body.name + ".angle");
    const auto angle = known == parts_.measure_by_name.end()
                           ? angle_measures_.end()
                           : std::find(angle_measures_.begin(), angle_measures_.end(), known->second);
    angle_of_body_.push_back(
        angle == angle_measures_.end() ? -1 : static_cast<int>(angle - angle_measures_.begin()));
  }
}

template <int D>
void NaturalSystem<D>::build_mass() {
  const Basis<D>& basis = parts_.basis;
  const int n = D * basis.free_elements();
  inertia_scale_.assign(static_cast<std::size_t>(n), 0);
  unit_inertia_.assign(static_cast<std::size_t>(n), 0);
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
      const double scale = body.is_point[i] ? body.mass : body.mass * body.size * body.size,
                   unit = body.is_point[i] ? 1 : body.size * body.size;
      for (auto k = static_cast<std::size_t>(D * e); k < static_cast<std::size_t>(D * e + D); ++k) {
        inertia_scale_[k] += scale;
        unit_inertia_[k] = std::max(unit_inertia_[k], unit);
      }
      for (std::size_t j = 0; j < body.elements.size(); ++j) {
        const int f = body.elements[j];
        if (f >= basis.free_elements()) continue;
        const math::Mat<D> block = body.inertia[i][j].matrix();
        for (int r = 0; r < D; ++r)
          for (int c = 0; c < D; ++c)
            if (D * e + r >= D * f + c && block(r, c) != 0) sum[{D * f + c, D * e + r}] += block(r, c);
      }
    }
    com_.push_back(basis.material(static_cast<int>(b), true, mechanism_.bodies[b - 1].com));
    for (const auto& term : com_.back().form.terms)
      if (term.element < basis.free_elements())
        Eigen::Map<math::Vec<D>>(gravity_.data() + D * term.element) +=
            term.weight.transposed(math::Vec<D>(body.mass * math::narrow<D>(mechanism_.gravity)));
      else
        grounded_potential_ -=
            body.mass * math::narrow<D>(mechanism_.gravity)
                            .dot(term.weight * math::narrow<D>(basis.initial(term.element)));
  }
  declare_armatures(sum);
  for (const bool diagonal : {true, false})
    for (const auto& [place, value] : sum) {
      if ((place.first == place.second) != diagonal) continue;
      mass_pattern_.column.push_back(place.first);
      mass_pattern_.row.push_back(place.second);
      mass_.push_back(value);
    }
  std::map<std::pair<int, int>, Weight<D>> blocks;
  for (const auto& [place, value] : sum) {
    const auto [f, e] = place;
    if (e / D == f / D || f % D != 0) continue;
    Weight<D>& weight = blocks[{e - e % D, f}];
    (e % D == 0 ? weight.alpha : weight.beta) = value;
  }
  for (const auto& [place, weight] : blocks) mass_blocks_.push_back({place.first, place.second, weight});
  diagonal_masses_ = static_cast<std::size_t>(n);
  find_armature_entries();
  constant_mass_ = parts_.armatures.empty();
}

template <int D>
void NaturalSystem<D>::build_patterns() {
  jacobian_.block = D;
  for_each_part(parts_.constraints, [&](const auto& part) { part.declare(jacobian_); });
  for_each_part(parts_.forces, [&](const auto& part) {
    part.declare(stiffness_, damping_);
    symmetric_tangent_ = symmetric_tangent_ && part.symmetric();
    has_work_ = has_work_ || !part.conservative();
    has_damping_ = has_damping_ || part.damped();
    reads_signals_ = reads_signals_ || part.reads_signals();
  });
  for_each_part<1>(parts_.constraints, [&](const auto& part) {
    has_other_rows_ = true;
    has_range_ = has_range_ || requires { part.out_of_range(elements(fixed_, true), std::string()); };
  });
  flank_rows_.assign(static_cast<std::size_t>(parts_.flanks), -1);
  int row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    if constexpr (requires { part.flank(); })
      if (part.flank() >= 0) flank_rows_[static_cast<std::size_t>(part.flank())] = row;
    row += part.rows();
  });
  has_forces_ = !parts_.armatures.empty();
  for_each_part(parts_.forces, [&](const auto&) { has_forces_ = true; });
  reads_signals_ =
      reads_signals_ || has_other_rows_ || !parts_.state_rates.empty() || !active_measures_.empty();
  constant_forces_ = only_gravity();
  has_more_ = has_other_rows_ || !constant_forces_;
  // A driver that holds a coordinate at a number does no work, as that of an end-stop.
  const auto holds = [](const Driver& driver) {
    return !driver.of_speed && std::ranges::all_of(driver.equals, [](const std::string& text) {
      char* end = nullptr;
      return text.empty() || (std::isfinite(std::strtod(text.c_str(), &end)) && *end == '\0');
    });
  };
  rheonomic_ = !std::ranges::all_of(mechanism_.drivers, holds) || !mechanism_.constraints.empty();
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
  for (const Joint& joint : mechanism_.joints) {
    const bool angle = mechanism::has_angle(mechanism_, joint),
               slide = mechanism::has_displacement(mechanism_, joint);
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
bool NaturalSystem<D>::only_gravity() const {
  return !has_forces_ && parts_.state_rates.empty() && active_measures_.empty();
}

template <int D>
bool NaturalSystem<D>::only_springs() const {
  bool only = parts_.state_rates.empty() && active_measures_.empty();
  for_each_part<1>(parts_.forces, [&](const auto&) { only = false; });
  return only;
}

template <int D>
Motion<D> NaturalSystem<D>::motion(const State& s, Terms& terms) const {
  const std::vector<double>* flanks = parts_.flanks == 0 ? nullptr : s.recall(kFlanks);
  return {s.seen_time(),
          elements(s.q, true),
          elements(s.v, false),
          parts_.measures,
          measure_start_,
          terms.measures.data(),
          terms.signals,
          terms.scratch,
          flanks == nullptr ? std::span<const double>() : std::span<const double>(*flanks)};
}

// What an angle should read at a start, turns included: what a driver makes it follow, or where the model
// places it.
template <int D>
double NaturalSystem<D>::expected_angle(int measure, double t) const {
  const Measure<D>& m = parts_.measures[static_cast<std::size_t>(measure)];
  for (const auto& part : std::get<std::vector<Coupled<D>>>(parts_.constraints))
    if (part.is_driver() && part.first_measure() == measure) {
      std::vector<double> signals(signal_count_, 0.0), scratch(expression_scratch_, 0.0);
      read_decisions({}, std::span(signals).subspan(parts_.first_decision));
      signals[0] = t;
      return part.target(signals, scratch);
    }
  return m.expected();
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
    auto& angles = s.remember(kAngles, turns_.memory_size());
    for (std::size_t k = 0; k < angle_measures_.size(); ++k) {
      const Measure<D>& m = parts_.measures[static_cast<std::size_t>(angle_measures_[k])];
      angles[k] = with_turns(m.angle(elements(s.q, true)), expected_angle(angle_measures_[k], s.t));
    }
  }
  return s;
}

template <int D>
void NaturalSystem<D>::evaluate_measures(const State& s, Terms& terms, bool with_hessian, bool all) const {
  const Elements<D> x = elements(s.q, true), v = elements(s.v, false);
  const auto evaluate = [&](std::size_t k) {
    parts_.measures[k].evaluate(x, v, terms.measures.data() + measure_start_[k], with_hessian);
  };
  // Angles count turns from where they were last looked at.
  const auto unwrap = [&](const std::vector<double>& seen, std::size_t k) {
    double& angle =
        terms
            .measures[static_cast<std::size_t>(measure_start_[static_cast<std::size_t>(angle_measures_[k])])];
    angle = with_turns(angle, seen[k]);
  };
  if (all) {
    for (std::size_t k = 0; k < parts_.measures.size(); ++k) evaluate(k);
    if (const std::vector<double>* seen = s.recall(kAngles))
      for (std::size_t k = 0; k < angle_measures_.size(); ++k) unwrap(*seen, k);
  } else {
    for (const int k : active_measures_) evaluate(static_cast<std::size_t>(k));
    if (!active_angles_.empty())
      if (const std::vector<double>* seen = s.recall(kAngles))
        for (const int k : active_angles_) unwrap(*seen, static_cast<std::size_t>(k));
  }
  // Expression variables: t, states, inputs, then signals.
  terms.signals[0] = s.seen_time();
  std::copy(s.x.begin(), s.x.end(), terms.signals.begin() + 1);
  std::copy(s.inputs.begin(), s.inputs.end(),
            terms.signals.begin() + 1 + static_cast<std::ptrdiff_t>(s.x.size()));
  read_decisions(s, std::span(terms.signals).subspan(parts_.first_decision));
  for (const auto& [slot, place] : read_slots_)
    terms.signals[static_cast<std::size_t>(slot)] = terms.measures[static_cast<std::size_t>(place)];
}

template <int D>
Terms NaturalSystem<D>::make_terms() const {
  Terms terms = Dynamics::make_terms();
  if (!start_mass_.empty()) terms.M = start_mass_;
  // Constant forces and rows are filled once.
  terms.Q = gravity_;
  std::size_t row = std::get<std::vector<Dot<D>>>(parts_.constraints).size();
  for (const auto& part : std::get<std::vector<Coincident<D>>>(parts_.constraints)) {
    part.fill_jacobian(terms.Phi_v.data() + jacobian_.start[row]);
    row += static_cast<std::size_t>(part.rows());
  }
  return terms;
}

template <int D>
void NaturalSystem<D>::force_left(const Terms& terms, std::span<const double> at,
                                  std::span<double> to) const {
  if (!constant_mass_) return Dynamics::force_left(terms, at, to);
  using Vector = math::Packed<D>;
  const double *x = at.data(), *M = terms.M.data(), *Q = terms.Q.data();
  double* y = to.data();
  math::by_pairs(diagonal_masses_, [=](std::size_t i, auto width) {
    using W = decltype(width);
    math::store<W>(y + i, math::load<W>(Q + i) - math::load<W>(M + i) * math::load<W>(x + i));
  });
  for (const MassBlock& block : mass_blocks_) {
    const double alpha = block.weight.alpha;
    const Vector x_e = Vector::load(x + block.e), x_f = Vector::load(x + block.f);
    math::take_from(y + block.e, x_f * alpha);
    math::take_from(y + block.f, x_e * alpha);
    if constexpr (D == 2)
      if (const double beta = block.weight.beta; beta != 0) {
        math::take_from(y + block.e, Vector{math::Pair{-x_f[1], x_f[0]}} * beta);
        math::take_from(y + block.f, Vector{math::Pair{x_e[1], -x_e[0]}} * beta);
      }
  }
}

template <int D>
void NaturalSystem<D>::evaluate(const State& s, unsigned ask, Terms& terms) const {
  if (ask & (kAskPosition | kAskGamma | kAskRates))
    dots_.evaluate(elements(s.q, true), elements(s.v, false), ask, terms);
  if (ask & kAskEnergy) terms.potential = gravity_potential(s);
  const bool forces = ask & (kAskForces | kAskTangent);
  if (!has_more_ || !(forces || has_other_rows_ || !constant_mass_)) return;
  const bool tangent = ask & kAskTangent;
  if (reads_signals_) evaluate_measures(s, terms, tangent, false);
  const Motion<D> m = motion(s, terms);
  if (has_other_rows_ && ask & (kAskPosition | kAskGamma | kAskRates)) {
    std::size_t row = std::get<std::vector<Dot<D>>>(parts_.constraints).size();
    for_each_part<1>(parts_.constraints, [&](const auto& part) {
      const auto entry = static_cast<std::size_t>(jacobian_.start[row]);
      part.evaluate(m, ask,
                    {&terms.Phi[row], &terms.Phi_t[row], &terms.gamma[row], terms.Phi_v.data() + entry,
                     terms.Phi_v_dot.data() + entry});
      row += static_cast<std::size_t>(part.rows());
    });
  }
  if (forces) {
    if (has_forces_) evaluate_forces(m, ask, terms);
    if (!parts_.state_rates.empty()) evaluate_states(m, tangent, terms);
  }
  if (!constant_mass_) evaluate_armatures(m, ask, terms);
}

// Gravity is linear in q up to what ground's elements carry: V = −Q_g·q + …
template <int D>
double NaturalSystem<D>::gravity_potential(const State& s) const {
  double V = grounded_potential_;
  for (std::size_t i = 0; i < gravity_.size(); ++i) V -= gravity_[i] * s.q[i];
  return V;
}

template <int D>
void NaturalSystem<D>::evaluate_forces(const Motion<D>& m, unsigned ask, Terms& terms) const {
  const bool tangent = ask & kAskTangent;
  math::copy(terms.Q, gravity_.data());
  ForceOutput out{terms.Q.data(), tangent ? terms.K.data() : nullptr, tangent ? terms.C.data() : nullptr, 0,
                  0};
  for_each_part(parts_.forces, [&](const auto& part) {
    part.evaluate(m, out);
    if (!tangent) return;
    out.K += part.block_size();
    out.C += part.block_size();
  });
  if (ask & kAskEnergy) terms.potential += out.potential;
  terms.power = out.power;
}

template <int D>
void NaturalSystem<D>::evaluate_states(const Motion<D>& m, bool tangent, Terms& terms) const {
  const std::size_t n = parts_.state_rates.size();
  for (std::size_t i = 0; i < n; ++i) {
    const expressions::Expression& f = parts_.state_rates[i];
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
  const int too_far = turns_.accept(parts_.measures, elements(s.q, true), elements(s.v, false), step,
                                    s.remember(kAngles, turns_.memory_size()));
  return too_far < 0 ? std::string() : name_of(too_far);
}

template <int D>
std::string NaturalSystem<D>::out_of_range(const State& s, Terms&) const {
  std::string what;
  std::size_t row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    if constexpr (requires { part.out_of_range(elements(s.q, true), std::string()); })
      if (what.empty()) what = part.out_of_range(elements(s.q, true), rows_[row].name);
    row += static_cast<std::size_t>(part.rows());
  });
  return what;
}

template <int D>
std::string NaturalSystem<D>::name_of(int measure) const {
  for (const auto& [name, index] : parts_.measure_by_name)
    if (index == measure) return name;
  return {};
}

template <int D>
const Measure<D>& NaturalSystem<D>::angle(int k) const {
  return parts_.measures[static_cast<std::size_t>(angle_measures_[static_cast<std::size_t>(k)])];
}

template class NaturalSystem<2>;
template class NaturalSystem<3>;

}  // namespace trammel::system
