// Modes of vibration: the motions near a position of rest, or near a steady motion, that keep their shape.
//
//   y = Re(ŷ e^{λt}),   A ŷ = λ ŷ          λ = −ζω₀ ± iω₀√(1 − ζ²)
//
// About a steady motion, in which bodies turn or travel at constant speed, coordinates must be such that
// nothing but they themselves change: those of joints. The motion is then looked at a second time further on;
// where the eigenvalues are others there, it is not steady.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "analysis/linearization.h"

namespace trammel::analysis {

struct VibrationMode {
  std::complex<double> eigenvalue;  // 1/s; of a conjugate pair the one with im > 0
  double uncertainty = 0;           // of the eigenvalue
  int multiplicity = 1;
  // Of each body: displacement of the centre of mass (m), rotation (rad), world axes. The largest component
  // of any body, rotations times the mechanism's size, is one and real.
  std::vector<Eigen::Matrix<std::complex<double>, 6, 1>> shape;

  double frequency() const;      // Hz, of the oscillation
  double damping_ratio() const;  // 1: aperiodic; negative: it grows
  // It neither grows nor decays nor oscillates, within its uncertainty: the mechanism moves freely.
  bool is_free() const { return std::abs(eigenvalue) <= uncertainty; }
  bool grows() const { return eigenvalue.real() > uncertainty; }
};

struct Vibration {
  Report report;       // refused: neither rest nor steady motion; else what went wrong with the numbers
  bool moves = false;  // about a steady motion, else about rest
  Linearization linear;
  std::vector<VibrationMode> modes;  // free ones first, then by rising |λ|
};

// About the State as it is; the System has coordinates in which the motion is steady.
Vibration vibration(const std::shared_ptr<const system::System>& system, const Mechanism& mechanism,
                    const State& about);

// C (iωI − A)⁻¹ B + D at each angular frequency, rad/s.
std::vector<Eigen::MatrixXcd> frequency_response(const Linearization& linear,
                                                 const std::vector<double>& omega);

}  // namespace trammel::analysis
