#include "expressions/tape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace trammel::expressions {
namespace {

// Partials of one node as they lie in the scratch: a, b, aa, ab, bb
constexpr std::size_t kPartials = 5;

}  // namespace

Tape::Tape(std::vector<int> slots, std::vector<double> constants, std::vector<Node> nodes,
           std::vector<Function1> functions)
    : slots_(std::move(slots)),
      constants_(std::move(constants)),
      nodes_(std::move(nodes)),
      functions_(std::move(functions)) {
  assert(size() > 0);
}

// hessian() needs most: values, adjoints, tangents, second adjoints, and the partials of each node.
std::size_t Tape::scratch_size() const { return 4 * size() + kPartials * nodes_.size(); }

Tape::Degree Tape::degree_of(const Node& node, const std::vector<Degree>& of) {
  const Degree a = of[static_cast<std::size_t>(node.a)], b = of[static_cast<std::size_t>(node.b)];
  const Degree both{std::min(a.low, b.low), std::max(a.high, b.high)};
  switch (node.op) {
    case Op::kNegate:
    case Op::kAdd:
    case Op::kSubtract:
      return both;
    case Op::kMultiply:
      return {std::min(a.low + b.low, 2), std::min(a.high + b.high, 2)};
    case Op::kDivide:
      return b.high == 0 ? a : Degree{0, 2};
    case Op::kSelect:
      return of[static_cast<std::size_t>(node.c)].high == 0 ? both : Degree{0, 2};
    default:
      return both.high == 0 ? both : Degree{0, 2};
  }
}

Tape::Degree Tape::degree(int first_slot) const {
  std::vector<Degree> of;
  for (const int slot : slots_) of.push_back(slot >= first_slot ? Degree{1, 1} : Degree{0, 0});
  of.resize(leaves(), Degree{0, 0});
  for (const Node& node : nodes_) of.push_back(degree_of(node, of));
  return of.back();
}

// The branch of w, which goes on beyond its ends.
double Tape::decided(const Node& node, const double* v, double w) const {
  const double a = v[node.a], b = v[node.b];
  switch (node.op) {
    case Op::kAbs:
      return w < 0 ? -a : a;
    case Op::kMin:
      return w <= 0 ? a : b;
    case Op::kMax:
      return w >= 0 ? a : b;
    case Op::kMod:
      return a - b * std::floor(w / b);
    case Op::kFunction1: {
      const Function1::Jet jet = functions_[static_cast<std::size_t>(node.c)].at(w);
      return jet.f + jet.d * (a - w);
    }
    default:
      return apply(node.op, w, 0);
  }
}

Partials Tape::decided_partials(const Node& node, const double* v, double w) const {
  switch (node.op) {
    case Op::kAbs:
      return {.a = w < 0 ? -1.0 : 1.0};
    case Op::kMin:
      return w <= 0 ? Partials{.a = 1} : Partials{.b = 1};
    case Op::kMax:
      return w >= 0 ? Partials{.a = 1} : Partials{.b = 1};
    case Op::kMod:
      return {.a = 1, .b = -std::floor(w / v[node.b])};
    case Op::kFunction1:
      return {.a = functions_[static_cast<std::size_t>(node.c)].first(w)};
    default:
      return {};
  }
}

double Tape::value_of(const Node& node, const double* v, std::span<const double> x) const {
  if (node.decision >= 0)
    if (const double w = x[static_cast<std::size_t>(node.decision)]; !std::isnan(w))
      return decided(node, v, w);
  if (node.op == Op::kSelect) {
    const double condition = v[node.c];
    if (std::isnan(condition)) return condition;
    return condition != 0 ? v[node.a] : v[node.b];
  }
  if (node.op == Op::kFunction1) return functions_[static_cast<std::size_t>(node.c)].value(v[node.a]);
  return apply(node.op, v[node.a], v[node.b]);
}

Partials Tape::partials_of(const Node& node, const double* v, double f, std::span<const double> x) const {
  if (node.decision >= 0)
    if (const double w = x[static_cast<std::size_t>(node.decision)]; !std::isnan(w))
      return decided_partials(node, v, w);
  if (node.op == Op::kSelect) return v[node.c] != 0 ? Partials{.a = 1} : Partials{.b = 1};
  if (node.op == Op::kFunction1) {
    const Function1::Jet jet = functions_[static_cast<std::size_t>(node.c)].at(v[node.a]);
    return {.a = jet.d, .aa = jet.dd};
  }
  return partials(node.op, v[node.a], v[node.b], f);
}

void Tape::forward(std::span<const double> x, double* v) const {
  for (const int slot : slots_) *v++ = x[static_cast<std::size_t>(slot)];
  double* const node_values = std::copy(constants_.begin(), constants_.end(), v);
  const double* const values = node_values - leaves();
  double* next = node_values;
  for (const Node& node : nodes_) *next++ = value_of(node, values, x);
}

double Tape::value(std::span<const double> x, std::span<double> scratch) const {
  assert(scratch.size() >= size());
  forward(x, scratch.data());
  return scratch[size() - 1];
}

double Tape::gradient(std::span<const double> x, std::span<double> g, std::span<double> scratch) const {
  assert(g.size() >= slots_.size() && scratch.size() >= 2 * size());
  double* const v = scratch.data();
  double* const adjoint = v + size();
  forward(x, v);
  std::fill_n(adjoint, size(), 0.0);
  adjoint[size() - 1] = 1;
  for (std::size_t i = size(); i-- > leaves();) {
    if (adjoint[i] == 0) continue;
    const Node& node = nodes_[i - leaves()];
    const Partials p = partials_of(node, v, v[i], x);
    adjoint[node.a] += product(p.a, adjoint[i]);
    adjoint[node.b] += product(p.b, adjoint[i]);
  }
  std::copy_n(adjoint, slots_.size(), g.data());
  return v[size() - 1];
}

double Tape::hessian(std::span<const double> x, std::span<double> g, std::span<double> h,
                     std::span<double> scratch) const {
  const std::size_t n = slots_.size();
  assert(h.size() >= n * n && scratch.size() >= scratch_size());
  double* const v = scratch.data();
  double* const adjoint = v + size();
  double* const tangent = adjoint + size();
  double* const second = tangent + size();
  double* const p = second + size();
  const double f = gradient(x, g, scratch);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Partials q = partials_of(nodes_[k], v, v[k + leaves()], x);
    for (std::size_t j = 0; const double entry : {q.a, q.b, q.aa, q.ab, q.bb}) p[kPartials * k + j++] = entry;
  }
  std::fill_n(tangent, leaves(), 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    tangent[row] = 1;
    curvature(p, adjoint, tangent, second);
    tangent[row] = 0;
    for (std::size_t column = row; column < n; ++column)
      h[row * n + column] = h[column * n + row] = second[column];
  }
  return f;
}

// Tangents of all values along the seeds in the leaves, then the derivative of the adjoints along them:
//   f' = f_a a' + f_b b',   second(a) += second(f) f_a + adjoint(f) (f_aa a' + f_ab b')
void Tape::curvature(const double* p, const double* adjoint, double* tangent, double* second) const {
  for (std::size_t i = leaves(); i < size(); ++i) {
    const Node& node = nodes_[i - leaves()];
    const double* const q = p + kPartials * (i - leaves());
    tangent[i] = product(q[0], tangent[node.a]) + product(q[1], tangent[node.b]);
  }
  std::fill_n(second, size(), 0.0);
  for (std::size_t i = size(); i-- > leaves();) {
    if (adjoint[i] == 0 && second[i] == 0) continue;
    const Node& node = nodes_[i - leaves()];
    const double* const q = p + kPartials * (i - leaves());
    const double ta = tangent[node.a], tb = tangent[node.b];
    second[node.a] += product(second[i], q[0]) + product(adjoint[i], product(q[2], ta) + product(q[3], tb));
    second[node.b] += product(second[i], q[1]) + product(adjoint[i], product(q[3], ta) + product(q[4], tb));
  }
}

// Value, first and second derivative of every value.
void Tape::sweep_taylor(std::span<const double> x, int slot, double* v, double* d, double* dd) const {
  forward(x, v);
  std::fill_n(d, leaves(), 0.0);
  std::fill_n(dd, leaves(), 0.0);
  const auto seed = std::find(slots_.begin(), slots_.end(), slot);
  if (seed != slots_.end()) d[seed - slots_.begin()] = 1;
  for (std::size_t i = leaves(); i < size(); ++i) {
    const Node& node = nodes_[i - leaves()];
    const Partials p = partials_of(node, v, v[i], x);
    const double da = d[node.a], db = d[node.b];
    d[i] = product(p.a, da) + product(p.b, db);
    // f'' = f_a a'' + f_b b'' + (f_aa a' + f_ab b') a' + (f_ab a' + f_bb b') b'
    dd[i] = product(p.a, dd[node.a]) + product(p.b, dd[node.b]) +
            product(product(p.aa, da) + product(p.ab, db), da) +
            product(product(p.ab, da) + product(p.bb, db), db);
  }
}

Tape::Taylor Tape::taylor(std::span<const double> x, int slot, std::span<double> scratch) const {
  assert(scratch.size() >= 3 * size());
  double* const v = scratch.data();
  sweep_taylor(x, slot, v, v + size(), v + 2 * size());
  return {v[size() - 1], v[2 * size() - 1], v[3 * size() - 1]};
}

Tape::Depends Tape::depends(Op op, Depends a, Depends b) {
  const Depends more = std::max(a, b);
  switch (op) {
    case Op::kNegate:
    case Op::kAdd:
    case Op::kSubtract:
      return more;
    case Op::kMultiply:
      return a == Depends::no || b == Depends::no ? more : Depends::otherwise;
    case Op::kDivide:
      return b == Depends::no ? a : Depends::otherwise;
    default:
      return more == Depends::no ? more : Depends::otherwise;
  }
}

std::vector<Tape::Dependence> Tape::dependence_of_leaves(int slot) const {
  std::vector<Dependence> of;
  for (const int own : slots_) of.push_back({own == slot ? Depends::affinely : Depends::no, own != slot});
  of.resize(leaves(), {Depends::no, false});
  return of;
}

Tape::Dependence Tape::dependence_of(const Node& node, const std::vector<Dependence>& of) {
  const Dependence a = of[static_cast<std::size_t>(node.a)], b = of[static_cast<std::size_t>(node.b)];
  const Dependence c = of[static_cast<std::size_t>(node.op == Op::kSelect ? node.c : node.a)];
  return {depends(node.op, std::max(a.on, c.on), b.on), a.others || b.others || c.others};
}

std::vector<Tape> Tape::parts(int slot) const {
  std::vector<Dependence> of = dependence_of_leaves(slot);
  std::vector<char> largest(leaves(), 0);
  for (const Node& node : nodes_) {
    of.push_back(dependence_of(node, of));
    largest.push_back(!of.back().others && of.back().on == Depends::otherwise);
    if (largest.back() == 0) continue;
    largest[static_cast<std::size_t>(node.a)] = largest[static_cast<std::size_t>(node.b)] = 0;
    if (node.op == Op::kSelect) largest[static_cast<std::size_t>(node.c)] = 0;
  }
  std::vector<Tape> all;
  for (std::size_t k = leaves(); k < size(); ++k) {
    if (largest[k] == 0) continue;
    Terms terms = terms_of(k);
    std::erase_if(terms.all, [&](std::size_t term) { return of[term].on != Depends::otherwise; });
    for (const std::size_t term : terms.all) all.push_back(ending_at(static_cast<int>(term)));
    // The rest of a sum would only hide the peaks of a single term.
    const bool is_one = terms.all.size() == 1 && terms.of_a_sum, is_term = terms.all == std::vector{k};
    if (!is_one && !is_term) all.push_back(ending_at(static_cast<int>(k)));
  }
  return all;
}

// Those of sums, products and choices: beside one of them others may be so large that they hide its peaks.
Tape::Terms Tape::terms_of(std::size_t value) const {
  Terms terms;
  std::vector<std::size_t> ahead{value};
  while (!ahead.empty()) {
    const std::size_t k = ahead.back();
    ahead.pop_back();
    if (k < leaves()) continue;
    const Node& node = nodes_[k - leaves()];
    const bool multiple = node.op == Op::kNegate || (node.op == Op::kDivide && is_number(node.b)) ||
                          (node.op == Op::kMultiply && (is_number(node.a) || is_number(node.b)));
    const bool sum = multiple || node.op == Op::kAdd || node.op == Op::kSubtract;
    const bool choice =
        node.op == Op::kMultiply || node.op == Op::kMin || node.op == Op::kMax || node.op == Op::kSelect;
    if (sum || choice) {
      terms.of_a_sum = terms.of_a_sum && sum;
      ahead.push_back(static_cast<std::size_t>(node.a));
      if (node.b != node.a) ahead.push_back(static_cast<std::size_t>(node.b));
    } else if (std::ranges::find(terms.all, k) == terms.all.end()) {
      terms.all.push_back(k);
    }
  }
  return terms;
}

bool Tape::is_number(int value) const {
  const auto k = static_cast<std::size_t>(value);
  return k >= slots_.size() && k < leaves();
}

// Of the values that the result is made of. Kinks, as those of tables, are crossings.
bool Tape::may_have_peaks() const {
  const auto at = [](std::vector<char>& of, int value) -> char& {
    return of[static_cast<std::size_t>(value)];
  };
  std::vector<char> used(size(), 0), varies(size(), 0);
  for (std::size_t k = 0; k < slots_.size(); ++k) varies[k] = slots_[k] != 0;
  for (std::size_t k = leaves(); k < size(); ++k) {
    const Node& node = nodes_[k - leaves()];
    varies[k] = at(varies, node.a) | at(varies, node.b) | (node.op == Op::kSelect ? at(varies, node.c) : 0);
  }
  used.back() = 1;
  for (std::size_t k = size(); k-- > leaves();) {
    const Node& node = nodes_[k - leaves()];
    if (used[k] == 0 || varies[k] == 0) continue;
    switch (node.op) {
      case Op::kNegate:
      case Op::kSquare:
      case Op::kSin:
      case Op::kCos:
      case Op::kAbs:
      case Op::kSign:
      case Op::kFloor:
      case Op::kNot:
      case Op::kQuintic:
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kMin:
      case Op::kMax:
      case Op::kMod:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
      case Op::kAnd:
      case Op::kOr:
      case Op::kSelect:
        break;
      case Op::kDivide:
        if (!is_number(node.b)) return true;
        break;
      case Op::kFunction1:
        if (functions_[static_cast<std::size_t>(node.c)].is_spline()) return true;
        break;
      default:
        return true;
    }
    at(used, node.a) = at(used, node.b) = 1;
    if (node.op == Op::kSelect) at(used, node.c) = 1;
  }
  return false;
}

std::vector<Tape> Tape::terms_with_peaks() const {
  std::vector<Tape> all;
  if (!may_have_peaks()) return all;
  const Terms terms = terms_of(size() - 1);
  for (const std::size_t k : terms.all) {
    Tape term = ending_at(static_cast<int>(k));
    if (term.may_have_peaks()) all.push_back(std::move(term));
  }
  // The rest of a sum would only hide the peaks of a single term.
  const bool is_one = all.size() == 1 && terms.of_a_sum, is_term = terms.all == std::vector{size() - 1};
  if (!is_one && !is_term) all.push_back(*this);
  return all;
}

Enclosure Tape::enclosure(std::vector<Enclosure>& values) const {
  for (const double constant : constants_) values.push_back({Interval::one(constant), {0, 0}});
  for (const Node& node : nodes_) {
    const Enclosure &a = values[static_cast<std::size_t>(node.a)],
                    &b = values[static_cast<std::size_t>(node.b)];
    values.push_back(node.op == Op::kSelect ? enclose_choice(values[static_cast<std::size_t>(node.c)], a, b)
                     : node.op == Op::kFunction1 ? enclose(functions_[static_cast<std::size_t>(node.c)], a)
                                                 : enclose(node.op, a, b));
  }
  return values.back();
}

std::vector<Tape::Crossing> Tape::crossings(int slot) const {
  std::vector<Dependence> of = dependence_of_leaves(slot);
  std::vector<Crossing> all;
  const auto add = [&](Crossing crossing) {
    crossing.node = static_cast<int>(of.size() - leaves());
    const Dependence a = of[static_cast<std::size_t>(crossing.a)];
    const Dependence b = of[static_cast<std::size_t>(crossing.b < 0 ? crossing.a : crossing.b)];
    crossing.alone = !a.others && !b.others;
    if (crossing.alone && std::max(a.on, b.on) == Depends::no) return;
    crossing.affine = std::max(a.on, b.on) == Depends::affinely;
    all.push_back(crossing);
  };
  using Levels = Crossing::Levels;
  for (const Node& node : nodes_) {
    const auto b = static_cast<std::size_t>(node.b);
    switch (node.op) {
      case Op::kAbs:
      case Op::kSign:
        add({.a = node.a});
        break;
      case Op::kFloor:
        add({.a = node.a, .levels = Levels::whole});
        break;
      case Op::kMod:
        if (b >= slots_.size() && b < leaves() && constants_[b - slots_.size()] != 0)
          add({.a = node.a, .unit = constants_[b - slots_.size()], .levels = Levels::whole});
        break;
      case Op::kQuintic:
        add({.a = node.a, .levels = Levels::zero_and_one});
        break;
      case Op::kMin:
      case Op::kMax:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
        add({.a = node.a, .b = node.b});
        break;
      case Op::kFunction1:
        add({.a = node.a,
             .levels = Levels::knots,
             .function = node.c,
             .spline = functions_[static_cast<std::size_t>(node.c)].is_spline()});
        break;
      default:
        break;
    }
    of.push_back(dependence_of(node, of));
  }
  return all;
}

void Tape::decide_by(const Crossing& crossing, int slot) {
  if (crossing.levels != Crossing::Levels::zero_and_one)
    nodes_[static_cast<std::size_t>(crossing.node)].decision = slot;
}

Tape Tape::ending_at(int a, int b) const {
  Tape tape = *this;
  const int last = std::max(a, b);
  tape.nodes_.resize(static_cast<std::size_t>(std::max(0, last + 1 - static_cast<int>(leaves()))));
  // The result is the last value: min(a, a) is a.
  tape.nodes_.push_back(b < 0 ? Node{Op::kMin, a, a, 0, -1} : Node{Op::kSubtract, a, b, 0, -1});
  return tape;
}

Tape::Taylor Tape::crossing_value(const Crossing& crossing, std::span<const double> x, int slot,
                                  std::span<double> scratch) const {
  assert(scratch.size() >= 3 * size());
  double* const v = scratch.data();
  sweep_taylor(x, slot, v, v + size(), v + 2 * size());
  const auto part = [&](std::size_t order) {
    const double* const of = v + order * size();
    return (of[crossing.a] - (crossing.b < 0 ? 0 : of[crossing.b])) / crossing.unit;
  };
  return {part(0), part(1), part(2)};
}

void Tape::levels_around(const Crossing& crossing, double w, double& below, double& above) const {
  constexpr double kNoLevel = std::numeric_limits<double>::infinity();
  static const std::vector<double> zero{0}, zero_and_one{0, 1};
  if (crossing.levels == Crossing::Levels::whole) {
    below = std::floor(w);
    above = below + 1;
    return;
  }
  if (crossing.levels == Crossing::Levels::knots)
    return functions_[static_cast<std::size_t>(crossing.function)].knots_around(w, below, above);
  const std::vector<double>& levels = crossing.levels == Crossing::Levels::zero ? zero : zero_and_one;
  const auto at = std::upper_bound(levels.begin(), levels.end(), w);
  below = at == levels.begin() ? -kNoLevel : *(at - 1);
  above = at == levels.end() ? kNoLevel : *at;
}

}  // namespace trammel::expressions
