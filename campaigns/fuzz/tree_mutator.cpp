#include "tree_mutator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel::fuzz {
namespace {

template <class List>
const auto& one_of(const List& list, std::size_t k) {
  return list[k % std::size(list)];
}

constexpr std::array kNumbers = {0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 2.0,
                                 3.0,
                                 -0.25,
                                 1e-3,
                                 1e-9,
                                 1e-16,
                                 1e-300,
                                 5e-324,
                                 10.0,
                                 100.0,
                                 1e6,
                                 1e9,
                                 1e16,
                                 1e30,
                                 1e154,
                                 1e300,
                                 1e308,
                                 -1e308,
                                 255.0,
                                 65536.0,
                                 2147483647.0,
                                 -2147483648.0,
                                 4294967296.0,
                                 9223372036854775807.0,
                                 3.141592653589793};
constexpr std::array kUnits = {"m",   "mm", "kg",  "s",       "ms",     "rad", "deg",
                               "rpm", "N",  "N/m", "N.m/rad", "kg.m^2", "Hz",  "in"};
constexpr std::array kFunctions = {"sin", "cos", "tan",  "asin",  "sqrt", "exp",
                                   "log", "abs", "sign", "floor", "tanh", "not "};
constexpr std::array kOperators = {"+", "-", "*", "/", "^", "**", "<", "<=", "==", "!=", " and ", " or "};
constexpr std::array kSignals = {".angle", ".rate", ".displacement", ".x",     ".y",     ".z",
                                 ".vx",    ".vy",   ".wz",           ".speed", ".com.x", ""};
constexpr std::array kShapes = {
    "step({0}, 0, 0, 0.01, 1)", "if({0} < 0.002, 1, -1)", "mod({0}, 0.5)",  "max({0}, 0)",
    "clamp({0}, -1, 1)",        "atan2({0}, t)",          "min({0}, t, 1)", "hypot({0}, t)",
    "smooth_sign({0}, 1e-3)"};

}  // namespace

Tree TreeMutator::number() {
  if (below(2) == 0) return one_of(kNumbers, below(1000));
  // Up to 4, either sign, three digits.
  return static_cast<double>(static_cast<long>(below(8000)) - 4000) / 1000;
}

std::string TreeMutator::name() { return names_.empty() ? "t" : one_of(names_, below(1000)); }

std::string TreeMutator::formula(int depth) {
  switch (depth <= 0 ? below(3) : below(6)) {
    case 0:
      return "t";
    case 1:
      return number().dump();
    case 2:
      return name() + one_of(kSignals, below(1000));
    case 3:
      return fmt::format("{}({})", one_of(kFunctions, below(1000)), formula(depth - 1));
    case 4:
      return fmt::format(fmt::runtime(one_of(kShapes, below(1000))), formula(depth - 1));
    default:
      return fmt::format("({} {} {})", formula(depth - 1), one_of(kOperators, below(1000)),
                         formula(depth - 1));
  }
}

Tree TreeMutator::value() {
  switch (below(9)) {
    case 0:
    case 1:
      return number();
    case 2:
      return fmt::format("{} {}", number().dump(), one_of(kUnits, below(1000)));
    case 3:
      return formula(2);
    case 4:
      return one_of(vocabulary_.words, below(100'000));
    case 5:
      return Tree::array({number(), number(), number()});
    case 6:
      return Tree::array({name(), name()});
    case 7:
      return below(4) == 0 ? Tree(nullptr) : Tree(below(2) == 0);
    default:
      return name();
  }
}

std::string TreeMutator::key_for(const Tree& map) {
  std::vector<const std::vector<std::string>*> fitting;
  for (const auto& group : vocabulary_.key_groups)
    if (std::ranges::any_of(group, [&](const std::string& key) { return map.contains(key); }))
      fitting.push_back(&group);
  const auto& group = fitting.empty() || below(8) == 0 ? one_of(vocabulary_.key_groups, below(1000))
                                                       : *one_of(fitting, below(1000));
  return one_of(group, below(1000));
}

void TreeMutator::change_scalar(Tree& node) {
  if (node.is_number() && below(2) == 0) {
    const double x = node.get<double>();
    node =
        one_of(std::array{-x, 2 * x, x / 2, x + 1, x * 1e-6, x * 1e6, std::nextafter(x, 1e9)}, below(1000));
  } else if (node.is_string() && below(4) == 0) {
    node = fmt::format("{}{}{}", node.get<std::string>(), one_of(kOperators, below(1000)), formula(1));
  } else {
    node = value();
  }
}

void TreeMutator::change_map(Tree& map) {
  if (map.empty() || below(3) == 0) {
    map[below(4) == 0 ? name() : key_for(map)] = value();
    return;
  }
  auto at = map.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(below(map.size())));
  const std::string key = at.key();
  Tree old = at.value();
  switch (below(5)) {
    case 0:
      map.erase(key);
      break;
    case 1:  // under another name
      map.erase(key);
      map[key_for(map)] = std::move(old);
      break;
    case 2:  // again, under a new name
      map[fmt::format("{}{}", key, below(10))] = std::move(old);
      break;
    case 3:
      map[fmt::format("N{}", below(10))] = one_of(vocabulary_.parts, below(100'000));
      break;
    default:
      map[key] = value();
  }
}

void TreeMutator::change_list(Tree& list) {
  if (list.empty() || below(3) == 0) return list.push_back(value());
  const std::size_t k = below(list.size());
  switch (below(3)) {
    case 0:
      list.erase(k);
      break;
    case 1: {
      const Tree copy = list[k];
      list.push_back(copy);
      break;
    }
    default:
      std::swap(list[k], list[below(list.size())]);
  }
}

void TreeMutator::collect(Tree& node, std::vector<Tree*>& nodes) {
  nodes.push_back(&node);
  if (node.is_string() && node.get_ref<const std::string&>().size() < 20) names_.push_back(node);
  if (node.is_object())
    for (const auto& [key, child] : node.items()) names_.push_back(key);
  if (node.is_structured())
    for (Tree& child : node) collect(child, nodes);
}

void TreeMutator::change(Tree& root) {
  std::vector<Tree*> nodes;
  names_.clear();
  collect(root, nodes);
  Tree& node = *nodes[below(nodes.size())];
  if (below(12) == 0 && nodes.size() > 1) {  // a part of the tree in another place
    const Tree copy = *nodes[1 + below(nodes.size() - 1)];
    if (&node != &root) node = copy;
  } else if (node.is_object()) {
    change_map(node);
  } else if (node.is_array()) {
    change_list(node);
  } else {
    change_scalar(node);
  }
}

void TreeMutator::mutate(Tree& root) {
  for (std::size_t k = 1 + below(4); k > 0; --k) change(root);
}

void TreeMutator::cross(Tree& root, const Tree& other) {
  Tree copy = other;
  std::vector<Tree*> ours, theirs;
  collect(root, ours);
  collect(copy, theirs);
  const Tree& part = *theirs[below(theirs.size())];
  Tree& place = *ours[below(ours.size())];
  if (place.is_object() && part.is_object())
    place.update(part);
  else if (&place != &root)
    place = part;
}

}  // namespace trammel::fuzz
