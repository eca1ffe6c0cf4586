#include "system/forces/effort.h"

#include <algorithm>

#include "math/spans.h"

namespace trammel::system {

template <int D>
Effort<D>::Effort(Lever<D> lever, Law law, std::span<const Measure<D>> measures, const Elements<D>& start)
    : lever_(std::move(lever)), law_(std::move(law)) {
  ElementList<D> list(start.free_elements);
  const auto measure = [&](int k) -> const Measure<D>& { return measures[static_cast<std::size_t>(k)]; };
  if (const auto* on = std::get_if<MeasureLever>(&lever_)) list.take(measure(on->measure));
  if (const auto* on = std::get_if<DirectedLever<D>>(&lever_)) {
    list.take(on->point.form);
    list.take(on->direction.form);
  }
  if (const auto* on = std::get_if<TorqueLever<D>>(&lever_)) {
    list.take(on->axis.form);
    for (const auto& e : on->frame) list.take(e.form);
  }
  if (const auto* f = std::get_if<ExpressionLaw>(&law_))
    for (const SignalSource& source : f->sources)
      if (source.measure >= 0) list.take(measure(source.measure));
  elements_ = list.list();
  columns_ = columns_of<D>(elements_);
  if (std::holds_alternative<DirectedLever<D>>(lever_) ||
      (D == 2 && std::holds_alternative<TorqueLever<D>>(lever_)))
    write_as_matrix(start);
  if (const auto* f = std::get_if<ExpressionLaw>(&law_); f && f->f.is_constant()) {
    std::vector<double> scratch(static_cast<std::size_t>(f->f.scratch_size()));
    is_constant_ = true;
    constant_ = f->sign * f->f.value({}, scratch);
  }
}

// B = slope x + offset
template <int D>
void Effort<D>::write_as_matrix(const Elements<D>& start) {
  const auto n = static_cast<Eigen::Index>(columns_.size());
  const LeverTerms<D> at_start = terms(start);
  slope_.assign(columns_.size() * columns_.size(), 0);
  offset_.assign(columns_.size(), 0);
  Block slope(slope_.data(), n, n);
  add_derivative(at_start, 1, slope);
  add_lever(at_start, offset_.data());
  for (Eigen::Index k = 0; k < n; ++k) {
    const double x = start.free[columns_[static_cast<std::size_t>(k)]];
    for (Eigen::Index i = 0; i < n; ++i) offset_[static_cast<std::size_t>(i)] -= slope(i, k) * x;
  }
}

// to += B
template <int D>
void Effort<D>::add_lever(const LeverTerms<D>& terms, double* to) const {
  for (const LeverTerm<D>& term : terms)
    for (const auto& part : term.on->form.terms)
      if (const int c = column_in<D>(elements_, part.element); c >= 0)
        Eigen::Map<math::Vec<D>>(to + c) += part.weight.transposed(term.force);
}

// to += factor ∂B/∂q
template <int D>
void Effort<D>::add_derivative(const LeverTerms<D>& terms, double factor, Block& to) const {
  for (const LeverTerm<D>& term : terms)
    for (const auto& [form, block] : term.derivative)
      for (const auto& row : term.on->form.terms)
        for (const auto& col : form->terms) {
          const int r = column_in<D>(elements_, row.element), c = column_in<D>(elements_, col.element);
          if (r < 0 || c < 0) continue;
          to.template block<D, D>(r, c) +=
              factor * row.weight.matrix().transpose() * block * col.weight.matrix();
        }
}

template <int D>
bool Effort<D>::symmetric() const {
  // What a constant force or torque leaves out contracts by what it moves in a step, relative to the size of
  // its body: little in any step that resolves the motion.
  return is_constant_ || !std::holds_alternative<ExpressionLaw>(law_);
}

template <int D>
bool Effort<D>::damped() const {
  if (const auto* linear = std::get_if<LinearLaw>(&law_)) return linear->damping != 0;
  if (const auto* f = std::get_if<ExpressionLaw>(&law_))
    return std::any_of(f->sources.begin(), f->sources.end(), [](const SignalSource& s) { return s.rate; });
  return true;
}

template <int D>
bool Effort<D>::conservative() const {
  const auto* linear = std::get_if<LinearLaw>(&law_);
  return linear && linear->damping == 0;
}

template <int D>
LeverTerms<D> Effort<D>::terms(const Elements<D>& x) const {
  if (const auto* on = std::get_if<DirectedLever<D>>(&lever_)) return lever_terms(*on, x);
  return lever_terms(std::get<TorqueLever<D>>(lever_), x);
}

template <int D>
LawValue Effort<D>::magnitude(const Motion<D>& m) const {
  double S = 0, rate = 0;
  if (const auto* on = std::get_if<MeasureLever>(&lever_)) {
    S = m.measure(on->measure).value();
    rate = m.measure(on->measure).rate();
  }
  if (const auto* law = std::get_if<LinearLaw>(&law_)) return system::evaluate(*law, S, rate);
  if (const auto* law = std::get_if<FrictionLaw>(&law_)) return system::evaluate(*law, S, rate);
  const auto& law = std::get<ExpressionLaw>(law_);
  LawValue value;
  value.F = value.power_factor = is_constant_ ? constant_ : law.sign * law.f.value(m.signals, m.scratch);
  return value;
}

// Q += F B, B = slope x + offset; K = −F slope, and C stays zero
template <int D>
void Effort<D>::evaluate_constant(const Motion<D>& m, ForceOutput& out) const {
  const std::size_t n = columns_.size();
  const double* slope = slope_.data();
  const int* column = columns_.data();
  double speed = 0;  // B·v
  for (std::size_t i = 0; i < n; ++i) {
    double B = offset_[i];
    for (std::size_t k = 0; k < n; ++k) B += *slope++ * m.x.free[column[k]];
    out.Q[column[i]] += constant_ * B;
    speed += B * m.v.free[column[i]];
  }
  out.power += constant_ * speed;
  if (out.K) math::set_scaled({out.K, slope_.size()}, -constant_, slope_.data());
}

template <int D>
void Effort<D>::evaluate(const Motion<D>& m, ForceOutput& out) const {
  if (!reads_signals()) return evaluate_constant(m, out);
  const LawValue law = magnitude(m);
  constexpr int kMax = 3 * 40;  // columns: two bodies and the signals of one expression
  std::array<double, kMax> buffer;
  const std::size_t n = columns_.size();
  if (n > kMax) throw std::logic_error("Effort: an expression that sees more than forty elements");
  std::fill_n(buffer.begin(), n, 0.0);
  double* B = buffer.data();

  if (const auto* on = std::get_if<MeasureLever>(&lever_)) {
    const MeasureView<D> s = m.measure(on->measure);
    const auto& elements = m.measures[static_cast<std::size_t>(on->measure)].elements();
    for (std::size_t e = 0; e < elements.size(); ++e)
      for (int i = 0; i < D; ++i)
        B[column_in<D>(elements_, elements[e]) + i] += s.gradient()[D * static_cast<int>(e) + i];
  } else if (!slope_.empty()) {
    const double* slope = slope_.data();
    for (std::size_t i = 0; i < n; ++i) {
      B[i] = offset_[i];
      for (std::size_t k = 0; k < n; ++k) B[i] += *slope++ * m.x.free[columns_[k]];
    }
  } else {
    add_lever(terms(m.x), B);
  }

  double speed = 0;  // B·v
  for (std::size_t k = 0; k < n; ++k) {
    out.Q[columns_[k]] += law.F * B[k];
    speed += B[k] * m.v.free[columns_[k]];
  }
  out.potential += law.potential;
  out.power += law.power_factor * speed;
  if (out.K) tangent(m, law, B, out);
}

template <int D>
void Effort<D>::tangent(const Motion<D>& m, const LawValue& law, const double* B, ForceOutput& out) const {
  const int n = static_cast<int>(columns_.size());
  Block K(out.K, n, n), C(out.C, n, n);
  std::fill_n(out.K, n * n, 0.0);
  std::fill_n(out.C, n * n, 0.0);
  const Eigen::Map<const Eigen::VectorXd> b(B, n);

  // −B (factor · ∇S)ᵀ by position, and by velocity for rates
  const auto add_signal = [&](int measure, double F_value, double F_rate) {
    const MeasureView<D> s = m.measure(measure);
    const auto& elements = m.measures[static_cast<std::size_t>(measure)].elements();
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const int c = column_in<D>(elements_, elements[e]), i = D * static_cast<int>(e);
      const Eigen::Map<const math::Vec<D>> g(s.gradient() + i), r(s.rate_gradient() + i);
      K.template middleCols<D>(c).noalias() -= b * (F_value * g + F_rate * r).transpose();
      C.template middleCols<D>(c).noalias() -= b * (F_rate * g).transpose();
    }
  };

  if (const auto* on = std::get_if<MeasureLever>(&lever_)) {
    // −F H, and the law's own derivatives
    const MeasureView<D> s = m.measure(on->measure);
    const Eigen::Map<const Eigen::MatrixXd> H(s.hessian(), s.n, s.n);
    const auto& elements = m.measures[static_cast<std::size_t>(on->measure)].elements();
    for (std::size_t e = 0; e < elements.size(); ++e)
      for (std::size_t f = 0; f < elements.size(); ++f)
        K.template block<D, D>(column_in<D>(elements_, elements[e]), column_in<D>(elements_, elements[f])) -=
            law.F * H.template block<D, D>(D * static_cast<int>(e), D * static_cast<int>(f));
    if (!std::holds_alternative<ExpressionLaw>(law_)) add_signal(on->measure, law.F_S, law.F_rate);
  } else if (!slope_.empty()) {
    math::set_scaled({out.K, slope_.size()}, -law.F, slope_.data());
  } else {
    add_derivative(terms(m.x), -law.F, K);
  }
  if (const auto* f = std::get_if<ExpressionLaw>(&law_); f && !is_constant_) {
    std::array<double, 64> gradient;
    f->f.gradient(m.signals, gradient, m.scratch);
    for (std::size_t k = 0; k < f->sources.size(); ++k)
      if (f->sources[k].measure >= 0)
        add_signal(f->sources[k].measure, f->sources[k].rate ? 0 : f->sign * gradient[k],
                   f->sources[k].rate ? f->sign * gradient[k] : 0);
  }
}

template class Effort<2>;
template class Effort<3>;

}  // namespace trammel::system
