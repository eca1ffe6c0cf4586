// The terms of a GeneralizedSystem at one State.
//
// An entry m = M_ij of the lower triangle is a part of T: w m with w = q̇_i q̇_j, or ½ q̇_i² on the diagonal.
// Along u (formula.h) its rate is ṁ = m_u·u, and what it adds to h is
//
//   h_p += w m_p,   h_i −= ṁ q̇_j,   h_j −= ṁ q̇_i (once if i = j)
#include <algorithm>

#include "system/generalized/generalized_system.h"

namespace trammel::system {
namespace {

using FormulaKind = Formula::Kind;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void GeneralizedSystem::evaluate(const State& s, unsigned ask, Terms& terms) const {
  const bool tangent = ask & kAskTangent, forces = ask & (kAskForces | kAskTangent);
  layout_.fill(s, terms.signals);
  if (forces) {
    std::fill(terms.Q.begin(), terms.Q.end(), 0.0);
    terms.potential = terms.power = 0;
  }
  if (tangent) {
    std::fill(terms.K.begin(), terms.K.end(), 0.0);
    std::fill(terms.C.begin(), terms.C.end(), 0.0);
  }
  evaluate_mass(s, forces, tangent, terms);
  if (ask & kAskRates) evaluate_mass_rate(s, terms);
  if (ask & (kAskPosition | kAskGamma | kAskRates)) {
    evaluate_constraints(s, ask, terms);
    evaluate_velocity_constraints(s, ask, terms);
  }
  if (!forces) return;
  evaluate_applied(s, tangent, terms);
  evaluate_potential(tangent, terms);
  evaluate_states(tangent, terms);
}

void GeneralizedSystem::evaluate_mass(const State& s, bool forces, bool tangent, Terms& terms) const {
  TangentBlock block{terms.K.data(), terms.C.data()};
  for (std::size_t k = 0; k < mass_entries_.size(); ++k) {
    const MassEntry& entry = mass_entries_[k];
    if (!forces || entry.value.is_constant()) {
      terms.M[k] = entry.value.value(terms.signals, terms.scratch);
      continue;
    }
    const Formula::Jet m = tangent ? entry.value.hessian(terms.signals, terms.scratch)
                                   : entry.value.gradient(terms.signals, terms.scratch);
    terms.M[k] = m.f;
    add_inertia(entry, m, s, terms);
    if (!tangent) continue;
    add_inertia_tangent(entry, m, s, block);
    const std::size_t size = entry.block.size() * entry.block.size();
    block.K += size;
    block.C += size;
  }
}

// Ṁ v = Σ ṁ v
void GeneralizedSystem::evaluate_mass_rate(const State& s, Terms& terms) const {
  std::fill(terms.M_dot_v.begin(), terms.M_dot_v.end(), 0.0);
  for (const MassEntry& entry : mass_entries_) {
    if (entry.value.is_constant()) continue;
    const double m_dot = entry.value.rate(entry.value.gradient(terms.signals, terms.scratch), s.v);
    const std::size_t i = index(entry.row), j = index(entry.column);
    terms.M_dot_v[i] += m_dot * s.v[j];
    if (i != j) terms.M_dot_v[j] += m_dot * s.v[i];
  }
}

void GeneralizedSystem::add_inertia(const MassEntry& entry, const Formula::Jet& m, const State& s,
                                    Terms& terms) const {
  const auto& variables = entry.value.variables();
  const std::size_t i = index(entry.row), j = index(entry.column);
  const double w = (i == j ? 0.5 : 1) * s.v[i] * s.v[j];
  double m_dot = 0;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    m_dot += m.g[k] * Formula::direction(variables[k], s.v);
    if (variables[k].kind == FormulaKind::coordinate) {
      terms.Q[index(variables[k].index)] += w * m.g[k];
    } else {
      // dT/dt = q̇·(M q̈) + ½ q̇ᵀṀq̇ leaves −½ q̇ᵀM_t q̇ besides the power of Q.
      terms.power -= w * m.g[k];
    }
  }
  terms.Q[i] -= m_dot * s.v[j];
  if (i != j) terms.Q[j] -= m_dot * s.v[i];
}

// K = ∂(M q̈ − h)/∂q and C = −∂h/∂q̇ of one entry, on its block.
void GeneralizedSystem::add_inertia_tangent(const MassEntry& entry, const Formula::Jet& m, const State& s,
                                            TangentBlock block) const {
  const auto& variables = entry.value.variables();
  const std::size_t i = index(entry.row), j = index(entry.column), n = entry.block.size();
  const std::size_t I = entry.row_at, J = entry.column_at;
  const double vi = s.v[i], vj = s.v[j], w = (i == j ? 0.5 : 1) * vi * vj;
  const auto K = [&](std::size_t r, std::size_t c) -> double& { return block.K[r * n + c]; };
  const auto C = [&](std::size_t r, std::size_t c) -> double& { return block.C[r * n + c]; };
  double m_dot = 0;
  for (std::size_t l = 0; l < variables.size(); ++l) {
    m_dot += m.g[l] * Formula::direction(variables[l], s.v);
    if (variables[l].kind != FormulaKind::coordinate) continue;
    const std::size_t L = entry.at[l];
    double m_dot_l = 0;  // ∂ṁ/∂q_l
    for (std::size_t k = 0; k < variables.size(); ++k) {
      m_dot_l += m.second(l, k) * Formula::direction(variables[k], s.v);
      if (variables[k].kind == FormulaKind::coordinate) K(entry.at[k], L) -= w * m.second(k, l);
    }
    K(I, L) += m.g[l] * s.a[j] + m_dot_l * vj;
    C(I, L) += m.g[l] * vj;
    C(L, I) -= m.g[l] * vj;
    if (i == j) continue;
    K(J, L) += m.g[l] * s.a[i] + m_dot_l * vi;
    C(J, L) += m.g[l] * vi;
    C(L, J) -= m.g[l] * vi;
  }
  C(I, J) += m_dot;
  if (i != j) C(J, I) += m_dot;
}

void GeneralizedSystem::evaluate_constraints(const State& s, unsigned ask, Terms& terms) const {
  double *entry = terms.Phi_v.data(), *entry_rate = terms.Phi_v_dot.data();
  for (std::size_t r = 0; r < constraints_.size(); ++r) {
    const Formula& f = constraints_[r];
    const auto& variables = f.variables();
    const bool second = ask & (kAskGamma | kAskRates);
    const Formula::Jet jet =
        second ? f.hessian(terms.signals, terms.scratch) : f.gradient(terms.signals, terms.scratch);
    if (ask & kAskPosition) {
      terms.Phi[r] = jet.f;
      terms.Phi_t[r] = 0;
      // Coordinates stand in the order of their slots, as in the Jacobian's row.
      for (std::size_t k = 0; k < variables.size(); ++k)
        (variables[k].kind == FormulaKind::time ? terms.Phi_t[r] : *entry++) = jet.g[k];
    }
    if (!second) continue;
    // γ = uᵀ Φ_uu u, and Φ̇_u = Φ_uu u
    double gamma = 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const double rate = f.gradient_rate(jet, i, s.v);
      gamma += Formula::direction(variables[i], s.v) * rate;
      if ((ask & kAskRates) && variables[i].kind != FormulaKind::time) *entry_rate++ = rate;
    }
    terms.gamma[r] = gamma;
  }
}

// f = A q̇ + b is linear in the rates: A is its gradient by them, and γ̂ = f_u·u its rate while they are held.
void GeneralizedSystem::evaluate_velocity_constraints(const State& s, unsigned ask, Terms& terms) const {
  double* entry = terms.Phi_v.data() + jacobian_.start[constraints_.size()];
  double* entry_rate = terms.Phi_v_dot.data() + jacobian_.start[constraints_.size()];
  for (std::size_t k = 0; k < velocity_constraints_.size(); ++k) {
    const Formula& f = velocity_constraints_[k];
    const std::size_t r = constraints_.size() + k;
    const Formula::Jet jet =
        ask & kAskRates ? f.hessian(terms.signals, terms.scratch) : f.gradient(terms.signals, terms.scratch);
    double b = jet.f, gamma = 0;
    for (std::size_t i = 0; i < f.variables().size(); ++i) {
      const Formula::Variable& x = f.variables()[i];
      gamma += jet.g[i] * Formula::direction(x, s.v);
      if (x.kind != FormulaKind::rate) continue;
      b -= jet.g[i] * s.v[index(x.index)];
      if (ask & kAskPosition) *entry++ = jet.g[i];
      if (ask & kAskRates) *entry_rate++ = f.gradient_rate(jet, i, s.v);
    }
    if (ask & kAskPosition) {
      terms.Phi[r] = 0;
      terms.Phi_t[r] = b;
    }
    if (ask & kAskGamma) terms.gamma[r] = gamma;
  }
}

void GeneralizedSystem::evaluate_applied(const State& s, bool tangent, Terms& terms) const {
  std::size_t entry = applied_start_;
  for (const AppliedForce& force : applied_) {
    const std::size_t i = index(force.row);
    double Q = 0;
    if (tangent) {
      const Formula::Jet jet = force.value.gradient(terms.signals, terms.scratch);
      Q = jet.f;
      const auto& variables = force.value.variables();
      for (std::size_t k = 0; k < variables.size(); ++k) {
        if (variables[k].kind == FormulaKind::coordinate) terms.K[entry + force.at[k]] -= jet.g[k];
        if (variables[k].kind == FormulaKind::rate) terms.C[entry + force.at[k]] -= jet.g[k];
      }
      entry += force.columns.size();
    } else {
      Q = force.value.value(terms.signals, terms.scratch);
    }
    terms.Q[i] += Q;
    terms.power += Q * s.v[i];
  }
}

// −V_q, V_qq and, if V depends on time, the power V_t.
void GeneralizedSystem::evaluate_potential(bool tangent, Terms& terms) const {
  const Formula::Jet V = tangent ? potential_.hessian(terms.signals, terms.scratch)
                                 : potential_.gradient(terms.signals, terms.scratch);
  const auto& variables = potential_.variables();
  double* K = terms.K.data() + potential_start_;
  terms.potential = V.f;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].kind == FormulaKind::time) {
      terms.power += V.g[i];
      continue;
    }
    terms.Q[index(variables[i].index)] -= V.g[i];
    for (std::size_t j = 0; tangent && j < variables.size(); ++j)
      if (variables[j].kind == FormulaKind::coordinate) *K++ = V.second(i, j);
  }
}

void GeneralizedSystem::evaluate_states(bool tangent, Terms& terms) const {
  const std::size_t n = state_rates_.size();
  if (tangent) std::fill(terms.x_dot_x.begin(), terms.x_dot_x.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Formula& f = state_rates_[i];
    if (!tangent) {
      terms.x_dot[i] = f.value(terms.signals, terms.scratch);
      continue;
    }
    const Formula::Jet jet = f.gradient(terms.signals, terms.scratch);
    terms.x_dot[i] = jet.f;
    // States stand in the slots after t.
    for (std::size_t k = 0; k < jet.g.size(); ++k) {
      const auto slot = static_cast<std::size_t>(f.slot(k));
      if (slot >= 1 && slot <= n) terms.x_dot_x[i * n + slot - 1] = jet.g[k];
    }
  }
}

}  // namespace trammel::system
