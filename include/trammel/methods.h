// The names of coordinates, formulations, integrators and linear solvers, as a model file and a Plan have
// them.
//
// `trammel describe methods` prints what each fits and which options it reads. The order here is the order of
// every list and table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace trammel {

enum class CoordinatesKind { natural, reference, relative, generalized };
inline constexpr std::array kCoordinatesNames = {"natural", "reference", "relative", "generalized"};

enum class FormulationKind {
  augmented_lagrangian_index3,
  lagrange,
  baumgarte,
  null_space,
  penalty,
  augmented_lagrangian,
  independent,
  canonical_lagrange,
  canonical_independent,
  canonical_augmented,
  algebraic,
  dae,
  modular
};
inline constexpr std::array kFormulationNames = {"augmented-lagrangian-index3",
                                                 "lagrange",
                                                 "baumgarte",
                                                 "null-space",
                                                 "penalty",
                                                 "augmented-lagrangian",
                                                 "independent",
                                                 "canonical-lagrange",
                                                 "canonical-independent",
                                                 "canonical-augmented",
                                                 "algebraic",
                                                 "dae",
                                                 "modular"};

enum class IntegratorKind {
  trapezoidal,
  newmark,
  hht,
  generalized_alpha,
  euler,
  semi_implicit_euler,
  rk2_midpoint,
  rk2_heun,
  rk4,
  dopri5,
  dop853,
  radau5,
  radau9,
  implicit_midpoint,
  cvode_adams,
  cvode_bdf
};
inline constexpr std::array kIntegratorNames = {"trapezoidal",  "newmark",
                                                "hht",          "generalized-alpha",
                                                "euler",        "semi-implicit-euler",
                                                "rk2-midpoint", "rk2-heun",
                                                "rk4",          "dopri5",
                                                "dop853",       "radau5",
                                                "radau9",       "implicit-midpoint",
                                                "cvode-adams",  "cvode-bdf"};

enum class SolverChoice { automatic, dense_cholesky, sparse_cholesky, dense_lu, klu };
inline constexpr std::array kSolverNames = {"automatic", "dense-cholesky", "sparse-cholesky", "dense-lu",
                                            "klu"};

constexpr const char* name_of(CoordinatesKind kind) {
  return kCoordinatesNames[static_cast<std::size_t>(kind)];
}
constexpr const char* name_of(FormulationKind kind) {
  return kFormulationNames[static_cast<std::size_t>(kind)];
}
constexpr const char* name_of(IntegratorKind kind) {
  return kIntegratorNames[static_cast<std::size_t>(kind)];
}
constexpr const char* name_of(SolverChoice choice) { return kSolverNames[static_cast<std::size_t>(choice)]; }

// The kind whose name stands in one of the lists above; nothing when the list does not have it.
template <class Kind, std::size_t N>
constexpr std::optional<Kind> kind_named(const std::array<const char*, N>& names, std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const char* one) { return name == one; });
  if (found == names.end()) return std::nullopt;
  return static_cast<Kind>(found - names.begin());
}

}  // namespace trammel
