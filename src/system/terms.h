// Terms: the numbers that physics gives to numerics at one State. Buffers are sized once and refilled.
#pragma once

#include <any>
#include <vector>

#include "trammel/state.h"

namespace trammel::system {

// Row-compressed pattern of Φ_v; columns are unique within a row.
struct RowPattern {
  int block = 1;  // coordinates belong together in groups of this many, as those of a point
  std::vector<int> start{0};
  std::vector<int> column;
  std::vector<int> edge;  // by row: `block` where its columns are whole groups, else 1

  int rows() const { return static_cast<int>(start.size()) - 1; }
  int add_row(const std::vector<int>& columns) {
    column.insert(column.end(), columns.begin(), columns.end());
    start.push_back(static_cast<int>(column.size()));
    bool whole = columns.size() % static_cast<std::size_t>(block) == 0;
    for (std::size_t k = 0; whole && k < columns.size(); ++k) {
      const int i = static_cast<int>(k) % block;
      whole = columns[k] % block == i && columns[k] == columns[k - static_cast<std::size_t>(i)] + i;
    }
    edge.push_back(whole ? block : 1);
    return rows() - 1;
  }
};

// Places (row, column) of a sum of blocks; a place may occur more than once, its values add up.
struct EntryPattern {
  std::vector<int> row, column;
  int size() const { return static_cast<int>(row.size()); }
};

// What evaluate() shall fill; combine with |.
enum Ask : unsigned {
  kAskPosition = 1,  // Phi, Phi_v, Phi_t
  kAskGamma = 2,     // gamma
  kAskForces = 4,    // Q, x_dot, power
  kAskTangent = 8,   // K, C and ∂ẋ/∂x
  kAskRates = 16,    // Phi_v_dot, M_dot_v
  kAskEnergy = 32,   // potential; with kAskForces
  kAskAll = 63
};

struct Terms {
  std::vector<double> M;  // on Dynamics::mass_pattern(); filled by make_terms() where it is constant
  std::vector<double> Phi, Phi_t, gamma;  // m
  std::vector<double> Phi_v;              // on Dynamics::jacobian()
  std::vector<double> Phi_v_dot;          // d/dt of the matrix Φ_v along the motion, in the same places
  std::vector<double> M_dot_v;            // Ṁ v, nv; zero where M is constant
  std::vector<double> Q;                  // nv
  std::vector<double> K, C;      // on Dynamics::stiffness(), Dynamics::damping(): −∂Q/∂q, −∂Q/∂v
  std::vector<double> x_dot;     // auxiliary states
  std::vector<double> x_dot_x;   // ∂ẋ/∂x, row-major
  double potential = 0;          // J, of gravity and linear springs
  double power = 0;              // W, of every other force
  std::vector<double> signals;   // values of expression variables, by slot
  std::vector<double> measures;  // scratch of the measures: values, rates, gradients, Hessians
  std::vector<double> scratch;   // scratch of expressions
  std::any own;                  // what the System itself keeps of the State it was evaluated at
  // Of coordinates that are written through those of another System: its State, its Terms, and the map there.
  State inner_state;
  std::vector<Terms> inner;  // none or one
  std::vector<double> map;
};

}  // namespace trammel::system
