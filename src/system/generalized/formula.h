// A formula of generalized coordinates: an expression, and what each of its variables is.
//
// Derivatives in time go along u: q̇_k for the coordinate q_k, 1 for t. So ḟ = f_u·u, and uᵀ f_uu u is what
// f̈ has besides f_q q̈.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "expressions/expression.h"
#include "trammel/state.h"

namespace trammel::system {

// Where variables stand among the slots of expressions: t, states, inputs, coordinates, rates, decisions.
struct SlotLayout {
  int states = 0, inputs = 0, coordinates = 0, decisions = 0;

  int first_coordinate() const { return 1 + states + inputs; }
  int first_rate() const { return first_coordinate() + coordinates; }
  int first_decision() const { return first_rate() + coordinates; }
  std::size_t size() const { return static_cast<std::size_t>(first_decision() + decisions); }
  void fill(const State& s, std::span<double> signals) const;
};

class Formula {
 public:
  enum class Kind { time, coordinate, rate, other };
  struct Variable {
    Kind kind = Kind::other;
    int index = 0;  // which coordinate
  };
  // Derivatives by the variables, in their order; g and h lie in the scratch.
  struct Jet {
    double f = 0;
    std::span<const double> g, h;
    double second(std::size_t i, std::size_t j) const { return h[i * g.size() + j]; }
  };

  Formula() = default;
  Formula(expressions::Expression f, const SlotLayout& layout);

  const std::vector<Variable>& variables() const { return variables_; }
  // The coordinates it depends on by value or rate, ascending, each once.
  std::vector<int> coordinates() const;
  std::vector<int> rates() const;  // those it depends on by rate, ascending
  bool depends_on(Kind kind) const;
  // Linear in the rates, every term of it: f(q, 0, t) vanishes.
  bool is_homogeneous_in_rates(const SlotLayout& layout) const {
    return f_.degree(layout.first_rate()).low > 0;
  }
  bool is_constant() const { return variables_.empty(); }
  int slot(std::size_t variable) const { return f_.slots()[variable]; }
  std::size_t scratch_size() const;

  double value(std::span<const double> signals, std::span<double> scratch) const {
    return f_.value(signals, scratch);
  }
  Jet gradient(std::span<const double> signals, std::span<double> scratch) const;
  Jet hessian(std::span<const double> signals, std::span<double> scratch) const;

  // u of a variable
  static double direction(const Variable& variable, std::span<const double> v) {
    if (variable.kind == Kind::time) return 1;
    return variable.kind == Kind::coordinate ? v[static_cast<std::size_t>(variable.index)] : 0;
  }

  // f_u·u, and the rate f_uu u of its derivative by a variable, from its jet.
  double rate(const Jet& jet, std::span<const double> v) const {
    double sum = 0;
    for (std::size_t k = 0; k < variables_.size(); ++k) sum += jet.g[k] * direction(variables_[k], v);
    return sum;
  }
  double gradient_rate(const Jet& jet, std::size_t variable, std::span<const double> v) const {
    double sum = 0;
    for (std::size_t k = 0; k < variables_.size(); ++k)
      sum += jet.second(variable, k) * direction(variables_[k], v);
    return sum;
  }

 private:
  expressions::Expression f_;
  std::vector<Variable> variables_;
};

// Parses a text that validate() has passed; throws std::invalid_argument otherwise.
expressions::Expression parse_valid(const std::string& text, const expressions::Symbols& symbols);

}  // namespace trammel::system
