#include "system/generalized/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "system/decisions.h"

namespace trammel::system {

void SlotLayout::fill(const State& s, std::span<double> signals) const {
  auto next = signals.begin();
  *next++ = s.seen_time();
  for (const auto* values : {&s.x, &s.inputs, &s.q, &s.v})
    next = std::copy(values->begin(), values->end(), next);
  read_decisions(s, signals.subspan(static_cast<std::size_t>(first_decision())));
}

Formula::Formula(expressions::Expression f, const SlotLayout& layout) : f_(std::move(f)) {
  for (const int slot : f_.slots()) {
    if (slot == 0) {
      variables_.push_back({Kind::time, 0});
    } else if (slot >= layout.first_rate()) {
      variables_.push_back({Kind::rate, slot - layout.first_rate()});
    } else if (slot >= layout.first_coordinate()) {
      variables_.push_back({Kind::coordinate, slot - layout.first_coordinate()});
    } else {
      variables_.push_back({});
    }
  }
}

std::vector<int> Formula::coordinates() const {
  std::vector<int> all;
  for (const Variable& x : variables_)
    if (x.kind == Kind::coordinate || x.kind == Kind::rate) all.push_back(x.index);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<int> Formula::rates() const {
  std::vector<int> all;
  for (const Variable& x : variables_)
    if (x.kind == Kind::rate) all.push_back(x.index);
  return all;
}

bool Formula::depends_on(Kind kind) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const Variable& x) { return x.kind == kind; });
}

std::size_t Formula::scratch_size() const {
  const std::size_t n = variables_.size();
  return n + n * n + static_cast<std::size_t>(f_.scratch_size());
}

Formula::Jet Formula::gradient(std::span<const double> signals, std::span<double> scratch) const {
  const std::span<double> g = scratch.first(variables_.size());
  const double f = f_.gradient(signals, g, scratch.subspan(g.size()));
  return {f, g, {}};
}

Formula::Jet Formula::hessian(std::span<const double> signals, std::span<double> scratch) const {
  const std::size_t n = variables_.size();
  const std::span<double> g = scratch.first(n), h = scratch.subspan(n, n * n);
  const double f = f_.hessian(signals, g, h, scratch.subspan(n + n * n));
  return {f, g, h};
}

expressions::Expression parse_valid(const std::string& text, const expressions::Symbols& symbols) {
  auto parsed = expressions::Expression::parse(text, symbols);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed))
    throw std::invalid_argument(fmt::format("in '{}': {}", text, error->message));
  return std::get<expressions::Expression>(std::move(parsed));
}

}  // namespace trammel::system
