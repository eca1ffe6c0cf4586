#include "expressions/tape_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace trammel::expressions {

int TapeBuilder::add(const Entry& entry) {
  const auto [known, is_new] = known_.try_emplace(entry, static_cast<int>(entries_.size()));
  if (is_new) entries_.push_back(entry);
  return known->second;
}

int TapeBuilder::variable(int slot) { return add({.op = Op::kVariable, .a = slot}); }

int TapeBuilder::number(double value) {
  return add({.op = Op::kNumber, .bits = std::bit_cast<std::uint64_t>(value)});
}

std::optional<double> TapeBuilder::constant(int entry) const {
  if (at(entry).op != Op::kNumber) return std::nullopt;
  return std::bit_cast<double>(at(entry).bits);
}

int TapeBuilder::binary(Op op, int a, int b) {
  const auto ca = constant(a), cb = constant(b);
  if (ca && cb) return number(apply(op, *ca, *cb));
  return add({.op = op, .a = a, .b = b});
}

int TapeBuilder::power(int base, int exponent) {
  const auto n = constant(exponent);
  if (!n) return binary(Op::kPower, base, exponent);
  if (*n == 0) return number(1);
  if (*n == 1) return base;
  if (*n == 2) return unary(Op::kSquare, base);
  return binary(Op::kPowerConstant, base, exponent);
}

int TapeBuilder::select(int condition, int a, int b) {
  const auto chosen = constant(condition);
  if (!chosen) return add({.op = Op::kSelect, .a = a, .b = b, .c = condition});
  if (std::isnan(*chosen)) return condition;
  return *chosen != 0 ? a : b;
}

int TapeBuilder::function1(const Function1& f, int a) {
  if (const auto x = constant(a)) return number(f.value(*x));
  const auto known = std::find(functions_.begin(), functions_.end(), &f);
  const int index = static_cast<int>(known - functions_.begin());
  if (known == functions_.end()) functions_.push_back(&f);
  return add({.op = Op::kFunction1, .a = a, .b = a, .c = index});
}

std::vector<bool> TapeBuilder::reachable(int result) const {
  std::vector<bool> used(entries_.size(), false);
  const auto use = [&](int entry) { used[static_cast<std::size_t>(entry)] = true; };
  use(result);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    const Entry& e = entries_[i];
    if (!used[i] || e.op == Op::kVariable || e.op == Op::kNumber) continue;
    use(e.a);
    use(e.b);
    if (e.op == Op::kSelect) use(e.c);
  }
  return used;
}

Tape TapeBuilder::finish(int result) const {
  const std::vector<bool> used = reachable(result);
  std::vector<std::pair<int, std::size_t>> variables;  // slot, entry
  std::vector<std::size_t> numbers, operations;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!used[i]) continue;
    if (entries_[i].op == Op::kVariable)
      variables.emplace_back(entries_[i].a, i);
    else if (entries_[i].op == Op::kNumber)
      numbers.push_back(i);
    else
      operations.push_back(i);
  }
  std::sort(variables.begin(), variables.end());

  // The place of each entry among the tape's values.
  std::vector<int> place(entries_.size(), 0);
  int next = 0;
  std::vector<int> slots;
  for (const auto& [slot, entry] : variables) {
    slots.push_back(slot);
    place[entry] = next++;
  }
  std::vector<double> constants;
  for (const std::size_t entry : numbers) {
    constants.push_back(std::bit_cast<double>(entries_[entry].bits));
    place[entry] = next++;
  }
  const auto at_place = [&](int entry) { return place[static_cast<std::size_t>(entry)]; };
  std::vector<Node> nodes;
  for (const std::size_t entry : operations) {
    const Entry& e = entries_[entry];
    nodes.push_back({e.op, at_place(e.a), at_place(e.b), e.op == Op::kSelect ? at_place(e.c) : e.c});
    place[entry] = next++;
  }
  std::vector<Function1> functions;
  for (const Function1* f : functions_) functions.push_back(*f);
  return {std::move(slots), std::move(constants), std::move(nodes), std::move(functions)};
}

}  // namespace trammel::expressions
