#include "kernel/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace trammel::kernel {
namespace {

thread_local Numbers* in_scope = nullptr;

double folded(Op op, double a, double b, double c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::abs:
      return std::abs(a);
    case Op::floor:
      return std::floor(a);
    case Op::round:
      return std::round(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::pow:
      return std::pow(a, b);
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    case Op::less:
      return a < b ? 1 : 0;
    case Op::less_equal:
      return a <= b ? 1 : 0;
    case Op::equal:
      return a == b ? 1 : 0;
    case Op::select:
      return c != 0 ? a : b;
    case Op::number:
    case Op::input:
      break;
  }
  return a;
}

bool commutes(Op op) { return op == Op::add || op == Op::multiply; }

// What an operation with a zero or a one is without it; nothing if there is something to do.
const Recorded* simplified(Op op, const Recorded& a, const Recorded& b, Recorded& made) {
  switch (op) {
    case Op::add:
      if (a.is(0)) return &b;
      if (b.is(0)) return &a;
      break;
    case Op::subtract:
      if (b.is(0)) return &a;
      if (a.is(0)) return made = -b, &made;
      break;
    case Op::multiply:
      if (a.is(0) || b.is(0)) return made = 0, &made;
      if (a.is(1)) return &b;
      if (b.is(1)) return &a;
      if (a.is(-1)) return made = -b, &made;
      if (b.is(-1)) return made = -a, &made;
      break;
    case Op::divide:
      if (a.is(0)) return made = 0, &made;
      if (b.is(1)) return &a;
      if (b.is_number()) return made = a * Recorded(1 / b.value()), &made;
      break;
    case Op::pow:
      if (b.is(1)) return &a;
      if (b.is(2)) return made = a * a, &made;
      break;
    default:
      break;
  }
  return nullptr;
}

Recorded record(Op op, const Recorded& a, const Recorded& b = {}, const Recorded& c = {}) {
  const Numbers::Pause pause;
  for (const Recorded* x : {&a, &b, &c})
    if (!x->is_number()) return x->graph()->operation(op, a, b, c);
  return folded(op, a.value(), b.value(), c.value());
}

}  // namespace

Recorded::Recorded(double value) : value_(value) {
  if (in_scope != nullptr) *this = in_scope->take(value);
}

Numbers::Numbers() { in_scope = this; }
Numbers::Numbers(Graph& graph, const std::vector<int>& constant) : graph_(&graph), constant_(&constant) {
  in_scope = this;
}
Numbers::~Numbers() { in_scope = nullptr; }

Numbers::Pause::Pause() : paused_(std::exchange(in_scope, nullptr)) {}
Numbers::Pause::~Pause() { in_scope = paused_; }

Recorded Numbers::take(double value) {
  const Pause pause;
  const std::size_t k = list_.size();
  list_.push_back(value);
  if (constant_ == nullptr || k >= constant_->size() || (*constant_)[k] < 0) return value;
  return graph_->input("c", (*constant_)[k]);
}

Recorded Graph::input(const std::string& array, int entry) {
  const Numbers::Pause pause;
  if (!kept_) return std::numeric_limits<double>::quiet_NaN();
  auto at = std::find(arrays_.begin(), arrays_.end(), array);
  if (at == arrays_.end()) at = arrays_.insert(at, array);
  return {*this, keep({Op::input, static_cast<int>(at - arrays_.begin()), entry})};
}

void Graph::label(const std::string& text) {
  const auto at = std::find(labels_.begin(), labels_.end(), text);
  label_ = static_cast<int>(at - labels_.begin());
  if (at == labels_.end()) labels_.push_back(text);
}

int Graph::number(double value) { return keep({.op = Op::number, .value = value}); }

int Graph::node_of(const Recorded& x) { return x.is_number() ? number(x.value()) : x.node(); }

int Graph::keep(const GraphNode& node) {
  const auto [at, is_new] =
      known_.try_emplace({node.op, node.a, node.b, node.c, node.value}, static_cast<int>(nodes_.size()));
  if (is_new) {
    nodes_.push_back(node);
    nodes_.back().label = label_;
  }
  return at->second;
}

Recorded Graph::operation(Op op, const Recorded& a, const Recorded& b, const Recorded& c) {
  Recorded made;
  if (const Recorded* same = simplified(op, a, b, made)) return *same;
  // −(−x) = x;  a + (−b) = a − b
  const auto negated = [&](const Recorded& x) {
    return !x.is_number() && nodes_[static_cast<std::size_t>(x.node())].op == Op::negate;
  };
  const auto inside = [&](const Recorded& x) { return at(nodes_[static_cast<std::size_t>(x.node())].a); };
  if (op == Op::negate && negated(a)) return inside(a);
  if (op == Op::add && negated(b)) return a - inside(b);
  if (op == Op::add && negated(a)) return b - inside(a);
  if (op == Op::subtract && negated(b)) return a + inside(b);
  if (op == Op::multiply && negated(a) && negated(b)) return inside(a) * inside(b);
  if (op == Op::add && a.node() == b.node() && !a.is_number()) return 2 * a;
  if (op == Op::subtract && a.node() == b.node() && !a.is_number() && !b.is_number()) return 0;
  // c₁ (c₂ x) = (c₁c₂) x
  if (op == Op::multiply && (a.is_number() || b.is_number())) {
    const Recorded &factor = a.is_number() ? a : b, &other = a.is_number() ? b : a;
    const GraphNode inner = nodes_[static_cast<std::size_t>(other.node())];
    for (const auto& [number, rest] : {std::pair(inner.a, inner.b), std::pair(inner.b, inner.a)})
      if (inner.op == Op::multiply && nodes_[static_cast<std::size_t>(number)].op == Op::number)
        return Recorded(factor.value() * nodes_[static_cast<std::size_t>(number)].value) * at(rest);
  }
  int first = node_of(a), second = -1, third = -1;
  if (op >= Op::atan2 || (op >= Op::add && op <= Op::divide)) second = node_of(b);
  if (op == Op::select) third = node_of(c);
  if (commutes(op) && first > second) std::swap(first, second);
  return {*this, keep({op, first, second, third})};
}

Recorded& Recorded::operator+=(const Recorded& other) { return *this = *this + other; }
Recorded& Recorded::operator-=(const Recorded& other) { return *this = *this - other; }
Recorded& Recorded::operator*=(const Recorded& other) { return *this = *this * other; }

Recorded operator+(const Recorded& a, const Recorded& b) { return record(Op::add, a, b); }
Recorded operator-(const Recorded& a, const Recorded& b) { return record(Op::subtract, a, b); }
Recorded operator*(const Recorded& a, const Recorded& b) { return record(Op::multiply, a, b); }
Recorded operator/(const Recorded& a, const Recorded& b) { return record(Op::divide, a, b); }
Recorded operator-(const Recorded& a) { return record(Op::negate, a); }
Recorded sqrt(const Recorded& x) { return record(Op::sqrt, x); }
Recorded exp(const Recorded& x) { return record(Op::exp, x); }
Recorded log(const Recorded& x) { return record(Op::log, x); }
Recorded sin(const Recorded& x) { return record(Op::sin, x); }
Recorded cos(const Recorded& x) { return record(Op::cos, x); }
Recorded tan(const Recorded& x) { return record(Op::tan, x); }
Recorded asin(const Recorded& x) { return record(Op::asin, x); }
Recorded acos(const Recorded& x) { return record(Op::acos, x); }
Recorded atan(const Recorded& x) { return record(Op::atan, x); }
Recorded sinh(const Recorded& x) { return record(Op::sinh, x); }
Recorded cosh(const Recorded& x) { return record(Op::cosh, x); }
Recorded tanh(const Recorded& x) { return record(Op::tanh, x); }
Recorded abs(const Recorded& x) { return record(Op::abs, x); }
Recorded floor(const Recorded& x) { return record(Op::floor, x); }
Recorded round(const Recorded& x) { return record(Op::round, x); }
Recorded atan2(const Recorded& y, const Recorded& x) { return record(Op::atan2, y, x); }
Recorded pow(const Recorded& x, const Recorded& exponent) { return record(Op::pow, x, exponent); }
Recorded min(const Recorded& a, const Recorded& b) { return record(Op::min, a, b); }
Recorded max(const Recorded& a, const Recorded& b) { return record(Op::max, a, b); }
Recorded less(const Recorded& a, const Recorded& b) { return record(Op::less, a, b); }
Recorded less_equal(const Recorded& a, const Recorded& b) { return record(Op::less_equal, a, b); }
Recorded equal(const Recorded& a, const Recorded& b) { return record(Op::equal, a, b); }
Recorded select(const Recorded& condition, const Recorded& a, const Recorded& b) {
  const Numbers::Pause pause;
  if (condition.is_number()) return condition.is(0) ? b : a;
  return record(Op::select, a, b, condition);
}

namespace {

// ∂f/∂a and ∂f/∂b of f = op(a, b).
std::pair<Recorded, Recorded> slopes(Op op, const Recorded& f, const Recorded& a, const Recorded& b) {
  switch (op) {
    case Op::add:
      return {1, 1};
    case Op::subtract:
      return {1, -1};
    case Op::multiply:
      return {b, a};
    case Op::divide:
      return {Recorded(1) / b, -f / b};
    case Op::negate:
      return {-1, 0};
    case Op::sqrt:
      return {Recorded(0.5) / f, 0};
    case Op::exp:
      return {f, 0};
    case Op::log:
      return {Recorded(1) / a, 0};
    case Op::sin:
      return {cos(a), 0};
    case Op::cos:
      return {-sin(a), 0};
    case Op::tan:
      return {1 + f * f, 0};
    case Op::asin:
      return {Recorded(1) / sqrt(1 - a * a), 0};
    case Op::acos:
      return {Recorded(-1) / sqrt(1 - a * a), 0};
    case Op::atan:
      return {Recorded(1) / (1 + a * a), 0};
    case Op::sinh:
      return {cosh(a), 0};
    case Op::cosh:
      return {sinh(a), 0};
    case Op::tanh:
      return {1 - f * f, 0};
    case Op::abs:
      return {select(less(a, 0), -1, 1), 0};
    case Op::atan2: {
      const Recorded r2 = a * a + b * b;
      return {b / r2, -a / r2};
    }
    case Op::pow:
      return {b * pow(a, b - 1), b.is_number() ? Recorded(0) : f * log(a)};
    case Op::min:
      return {select(less_equal(a, b), 1, 0), select(less_equal(a, b), 0, 1)};
    case Op::max:
      return {select(less(a, b), 0, 1), select(less(a, b), 1, 0)};
    default:
      return {0, 0};  // numbers, inputs, and what is constant piece by piece
  }
}

}  // namespace

void Tangents::seed(const Recorded& input, const Recorded& value) {
  if (input.is_number()) return;  // of a graph that is not kept
  const auto at = static_cast<std::size_t>(input.node());
  if (known_.size() <= at) {
    known_.resize(at + 1);
    tangent_.resize(at + 1);
  }
  known_[at] = true;
  tangent_[at] = value;
}

Recorded Tangents::of(const Recorded& x) {
  const Numbers::Pause pause;
  return x.is_number() ? Recorded(0) : of_node(x.node());
}

Recorded Tangents::of_node(int node) {
  const auto at = static_cast<std::size_t>(node);
  if (known_.size() <= at) {
    known_.resize(at + 1);
    tangent_.resize(at + 1);
  }
  if (!known_[at]) {
    const GraphNode copy = graph_.nodes()[at];
    const Recorded made = chain(copy, graph_.at(node));
    known_[at] = true;
    tangent_[at] = made;
  }
  return tangent_[at];
}

Recorded Tangents::chain(const GraphNode& node, const Recorded& value) {
  if (node.op == Op::number || node.op == Op::input) return 0;
  const auto operand = [&](int k) {
    const GraphNode& one = graph_.nodes()[static_cast<std::size_t>(k)];
    return one.op == Op::number ? Recorded(one.value) : graph_.at(k);
  };
  const Recorded a = operand(node.a), b = node.b >= 0 ? operand(node.b) : Recorded(0);
  if (node.op == Op::select) return select(operand(node.c), of(a), of(b));
  const Recorded da = of(a), db = of(b);
  if (da.is(0) && db.is(0)) return 0;
  const auto [fa, fb] = slopes(node.op, value, a, b);
  return fa * da + fb * db;
}

std::vector<Recorded> gradient(Graph& graph, const Recorded& x, const std::vector<Recorded>& inputs) {
  const Numbers::Pause pause;
  std::vector<Recorded> result(inputs.size(), 0);
  if (x.is_number()) return result;
  // Adjoints from the result down; a node's operands have lower numbers.
  std::map<int, Recorded, std::greater<>> adjoint{{x.node(), 1}};
  std::map<int, Recorded> of_input;
  while (!adjoint.empty()) {
    const auto [at, bar] = *adjoint.begin();
    adjoint.erase(adjoint.begin());
    const GraphNode node = graph.nodes()[static_cast<std::size_t>(at)];
    if (node.op == Op::input) of_input[at] = bar;
    if (node.op == Op::number || node.op == Op::input) continue;
    const auto operand = [&](int k) {
      const GraphNode& one = graph.nodes()[static_cast<std::size_t>(k)];
      return one.op == Op::number ? Recorded(one.value) : graph.at(k);
    };
    const auto give = [&](const Recorded& to, const Recorded& part) {
      if (to.is_number() || part.is(0)) return;
      const auto [place, is_new] = adjoint.try_emplace(to.node(), part);
      if (!is_new) place->second += part;
    };
    const Recorded a = operand(node.a), b = node.b >= 0 ? operand(node.b) : Recorded(0);
    if (node.op == Op::select) {
      give(a, select(operand(node.c), bar, 0));
      give(b, select(operand(node.c), 0, bar));
      continue;
    }
    const auto [fa, fb] = slopes(node.op, graph.at(at), a, b);
    give(a, fa * bar);
    give(b, fb * bar);
  }
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (const auto at = of_input.find(inputs[k].node()); at != of_input.end()) result[k] = at->second;
  return result;
}

}  // namespace trammel::kernel
