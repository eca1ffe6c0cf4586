#include "system/measure.h"

#include <algorithm>

namespace trammel::system {

template <int D>
Measure<D>::Measure(MeasureKind kind, std::vector<Slot<D>> slots, int free_elements, double offset,
                    math::Vec<D> direction, double radius)
    : kind_(kind),
      free_elements_(free_elements),
      slots_(std::move(slots)),
      direction_(direction),
      offset_(offset),
      radius_(radius) {
  set_weights();
}

template <int D>
Measure<D>::Measure(CurveGap gap, std::vector<Slot<D>> slots, int free_elements)
    : Measure(MeasureKind::gap, std::move(slots), free_elements) {
  gap_ = std::move(gap);
}

template <int D>
void Measure<D>::set_weights() {
  const int free_elements = free_elements_;
  for (const Slot<D>& slot : slots_)
    for (const auto& term : slot.form.terms)
      if (term.element < free_elements && !term.weight.is_zero()) elements_.push_back(term.element);
  std::sort(elements_.begin(), elements_.end());
  elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    weights_[k].resize(elements_.size());
    for (const auto& term : slots_[k].form.terms) {
      const auto at = std::lower_bound(elements_.begin(), elements_.end(), term.element);
      if (at != elements_.end() && *at == term.element)
        weights_[k][static_cast<std::size_t>(at - elements_.begin())] = term.weight;
    }
  }
}

template <int D>
SlotJet<D> Measure<D>::jet(const Elements<D>& x) const {
  std::array<math::Vec<D>, kMaxSlots> slot;
  slot.fill(math::Vec<D>::Zero());
  for (std::size_t k = 0; k < slots_.size(); ++k) slot[k] = slots_[k].form(x);
  return gap_ ? gap_->jet<D>(slot) : value_jet<D>(kind_, slot, direction_, radius_);
}

template <int D>
CurveGap::Contact<D> Measure<D>::contact(const Elements<D>& x) const {
  SlotValues<D> slot;
  for (std::size_t k = 0; k < slots_.size(); ++k) slot[k] = slots_[k].form(x);
  return gap_.value().contact<D>(slot);
}

template <int D>
int Measure<D>::body_of(std::size_t slot) const {
  const auto& sides = slots_[slot].sides;
  const bool one = std::all_of(sides.begin(), sides.end(), [&](const auto& side) {
    return side.material.body == sides.front().material.body;
  });
  return one && !sides.empty() ? sides.front().material.body : -1;
}

template <int D>
double Measure<D>::rate(const Elements<D>& x, const Elements<D>& v) const {
  const SlotJet<D> jet = this->jet(x);
  double rate = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) rate += jet.g[k].dot(slot(k, v));
  return rate;
}

template <int D>
void Measure<D>::evaluate(const Elements<D>& x, const Elements<D>& v, double* scratch,
                          bool with_hessian) const {
  const std::size_t slots = slots_.size(), count = elements_.size();
  const int n = columns();
  const SlotJet<D> jet = this->jet(x);
  std::array<math::Vec<D>, kMaxSlots> velocity, hv;
  for (std::size_t k = 0; k < slots; ++k) velocity[k] = slots_[k].form(v);

  // rate = Σ g_k·ẋ_k,  H v = Σ h_kl ẋ_l,  vᵀHv
  double rate = 0, curvature = 0;
  for (std::size_t k = 0; k < slots; ++k) {
    hv[k].setZero();
    for (std::size_t l = 0; l < slots; ++l) hv[k] += jet.h[k][l] * velocity[l];
    rate += jet.g[k].dot(velocity[k]);
    curvature += hv[k].dot(velocity[k]);
  }
  scratch[0] = jet.f + offset_;
  scratch[1] = rate;
  scratch[2] = curvature;

  // Pull back to coordinates through the slots' linear forms.
  for (std::size_t e = 0; e < count; ++e) {
    math::Vec<D> g = math::Vec<D>::Zero(), r = math::Vec<D>::Zero();
    for (std::size_t k = 0; k < slots; ++k) {
      g += weights_[k][e].transposed(jet.g[k]);
      r += weights_[k][e].transposed(hv[k]);
    }
    Eigen::Map<math::Vec<D>>(scratch + 3 + D * e) = g;
    Eigen::Map<math::Vec<D>>(scratch + 3 + n + D * static_cast<int>(e)) = r;
  }
  if (!with_hessian) return;
  Eigen::Map<Eigen::MatrixXd> hessian(scratch + 3 + 2 * n, n, n);
  for (std::size_t e = 0; e < count; ++e)
    for (std::size_t f = 0; f < count; ++f) {
      math::Mat<D> block = math::Mat<D>::Zero();
      for (std::size_t k = 0; k < slots; ++k)
        for (std::size_t l = 0; l < slots; ++l)
          block += weights_[k][e].matrix().transpose() * jet.h[k][l] * weights_[l][f].matrix();
      hessian.block<D, D>(D * static_cast<int>(e), D * static_cast<int>(f)) = block;
    }
}

template class Measure<2>;
template class Measure<3>;

}  // namespace trammel::system
