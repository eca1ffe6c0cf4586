// Effort: a force of one magnitude on one lever, Q = F(signals)·B(q).
//
//   K = −∂Q/∂q = −(F ∂B/∂q + B (∂F/∂q)ᵀ),   C = −B (∂F/∂v)ᵀ
//
// Blocks are dense over the coordinates of everything that F or B depends on.
#pragma once

#include "system/forces/law.h"
#include "system/forces/lever.h"
#include "system/terms.h"

namespace trammel::system {

template <int D>
class Effort {
 public:
  // start: where the elements are at the beginning; those of ground stay there.
  Effort(Lever<D> lever, Law law, std::span<const Measure<D>> measures, const Elements<D>& start);

  // True when K and C are symmetric but for terms that modified Newton may drop.
  bool symmetric() const;
  bool conservative() const;
  bool damped() const;  // depends on velocities
  bool reads_signals() const { return !is_constant_ || slope_.empty(); }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }
  void evaluate(const Motion<D>& m, ForceOutput& out) const;
  const Lever<D>& lever() const { return lever_; }
  const Law& law() const { return law_; }
  double force(const Motion<D>& m) const { return magnitude(m).F; }

  template <class Give>
  void sides(const Motion<D>& m, Give&& give) const {
    const double F = magnitude(m).F;
    if (const auto* on = std::get_if<MeasureLever>(&lever_)) {
      const Measure<D>& s = m.measures[static_cast<std::size_t>(on->measure)];
      const SlotJet<D> jet = s.jet(m.x);
      for (std::size_t k = 0; k < s.slots().size(); ++k)
        for (const auto& side : s.slots()[k].sides)
          give(side.material, math::Vec<D>(F * side.sign * jet.g[k]));
      return;
    }
    for (const LeverTerm<D>& term : terms(m.x)) give(*term.on, math::Vec<D>(F * term.force));
  }

 private:
  LawValue magnitude(const Motion<D>& m) const;
  LeverTerms<D> terms(const Elements<D>& x) const;
  void write_as_matrix(const Elements<D>& start);
  void add_lever(const LeverTerms<D>& terms, double* to) const;
  void add_derivative(const LeverTerms<D>& terms, double factor, Block& to) const;
  void evaluate_constant(const Motion<D>& m, ForceOutput& out) const;
  void tangent(const Motion<D>& m, const LawValue& law, const double* B, ForceOutput& out) const;

  Lever<D> lever_;
  Law law_;
  std::vector<int> elements_;  // that B or F depend on, ascending
  std::vector<int> columns_;   // their coordinates: rows and columns of the blocks
  // Of levers that are linear in q, forces and torques in the plane: ∂B/∂q, and B at q = 0.
  std::vector<double> slope_, offset_;
  bool is_constant_ = false;  // F is
  double constant_ = 0;
};

}  // namespace trammel::system
