// LinearForm: a material point or vector as a constant linear map of natural coordinates,
//
//   r = Σ_e (α_e + β_e J) x_e      García de Jalón & Bayo (1994), ch. 2
//
// over the elements e (points and unit vectors) of a body or of two. J is the quarter turn of the plane; in
// space β = 0. Elements from `free_elements` on are fixed to ground: they have a place but no coordinate.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <span>
#include <vector>

#include "math/small.h"

namespace trammel::system {

// The values of all elements: free ones from a vector of coordinates, the rest from ground.
template <int D>
struct Elements {
  const double* free;
  const double* fixed;
  int free_elements;

  Eigen::Map<const math::Vec<D>> operator[](int e) const {
    return Eigen::Map<const math::Vec<D>>(e < free_elements ? free + D * e : fixed + D * (e - free_elements));
  }
};

template <int D>
struct Weight {
  double alpha = 0;
  double beta = 0;  // in the plane only

  math::Vec<D> operator*(const math::Vec<D>& x) const {
    if constexpr (D == 2) return alpha * x + beta * math::quarter_turn(x);
    return alpha * x;
  }
  // (α + βJ)ᵀ g
  math::Vec<D> transposed(const math::Vec<D>& g) const {
    if constexpr (D == 2) return alpha * g - beta * math::quarter_turn(g);
    return alpha * g;
  }
  math::Mat<D> matrix() const {
    math::Mat<D> m = alpha * math::Mat<D>::Identity();
    if constexpr (D == 2) {
      m(0, 1) -= beta;
      m(1, 0) += beta;
    }
    return m;
  }
  bool is_zero() const { return alpha == 0 && beta == 0; }
};

template <int D>
struct LinearForm {
  struct Term {
    int element;
    Weight<D> weight;
  };
  std::vector<Term> terms;  // each element at most once

  void add(int element, Weight<D> w, double factor = 1) {
    for (Term& term : terms)
      if (term.element == element) {
        term.weight.alpha += factor * w.alpha;
        term.weight.beta += factor * w.beta;
        return;
      }
    terms.push_back({element, {factor * w.alpha, factor * w.beta}});
  }
  // this + factor · other
  LinearForm plus(const LinearForm& other, double factor) const {
    LinearForm sum = *this;
    for (const Term& term : other.terms) sum.add(term.element, term.weight, factor);
    return sum;
  }
  math::Vec<D> operator()(const Elements<D>& x) const {
    math::Vec<D> r = math::Vec<D>::Zero();
    for (const Term& term : terms) r += term.weight * math::Vec<D>(x[term.element]);
    return r;
  }
  // The same of places over any scalar.
  template <class T>
  std::array<T, D> at(const std::vector<std::array<T, D>>& places) const {
    std::array<T, D> r{};
    for (const Term& term : terms) {
      const std::array<T, D>& x = places[static_cast<std::size_t>(term.element)];
      for (std::size_t i = 0; i < D; ++i) r[i] = r[i] + term.weight.alpha * x[i];
      if constexpr (D == 2) {
        r[0] = r[0] - term.weight.beta * x[1];
        r[1] = r[1] + term.weight.beta * x[0];
      }
    }
    return r;
  }
};

// Over any scalar.
template <class T, std::size_t D>
T product(const std::array<T, D>& a, const std::array<T, D>& b) {
  T sum = a[0] * b[0];
  for (std::size_t i = 1; i < D; ++i) sum = sum + a[i] * b[i];
  return sum;
}

}  // namespace trammel::system
