#include "kernel/emit.h"

#include <fmt/format.h>

namespace trammel::kernel {
namespace {

const char* function_of(Op op) {
  switch (op) {
    case Op::sqrt:
      return "sqrt";
    case Op::exp:
      return "exp";
    case Op::log:
      return "log";
    case Op::sin:
      return "sin";
    case Op::cos:
      return "cos";
    case Op::tan:
      return "tan";
    case Op::asin:
      return "asin";
    case Op::acos:
      return "acos";
    case Op::atan:
      return "atan";
    case Op::sinh:
      return "sinh";
    case Op::cosh:
      return "cosh";
    case Op::tanh:
      return "tanh";
    case Op::abs:
      return "fabs";
    case Op::floor:
      return "floor";
    case Op::round:
      return "rint";
    case Op::atan2:
      return "atan2";
    case Op::pow:
      return "pow";
    case Op::min:
      return "fmin";
    case Op::max:
      return "fmax";
    default:
      return nullptr;
  }
}

const char* sign_of(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::equal:
      return "==";
    default:
      return nullptr;
  }
}

class Emission {
 public:
  Emission(const Graph& graph, const std::vector<std::pair<std::string, Recorded>>& results)
      : graph_(graph), needed_(graph.nodes().size(), false) {
    for (const auto& [target, value] : results)
      if (!value.is_number()) needed_[static_cast<std::size_t>(value.node())] = true;
    for (std::size_t k = needed_.size(); k-- > 0;) {
      const GraphNode& node = graph.nodes()[k];
      if (!needed_[k] || node.op == Op::input || node.op == Op::number) continue;
      for (const int operand : {node.a, node.b, node.c})
        if (operand >= 0) needed_[static_cast<std::size_t>(operand)] = true;
    }
  }

  std::string text(const std::vector<std::pair<std::string, Recorded>>& results) {
    std::string out;
    int label = 0;
    for (std::size_t k = 0; k < needed_.size(); ++k) {
      const GraphNode& node = graph_.nodes()[k];
      if (!needed_[k] || node.op == Op::input || node.op == Op::number) continue;
      if (node.label != label && !graph_.labels()[static_cast<std::size_t>(node.label)].empty())
        out += fmt::format("  // {}\n", graph_.labels()[static_cast<std::size_t>(node.label)]);
      label = node.label;
      out += fmt::format("  const auto x{} = {};\n", k, formula(node));
    }
    for (const auto& [target, value] : results)
      out += fmt::format(
          "  {} = {};\n", target,
          value.is_number() ? fmt::format("real{{}} + {}", literal(value.value())) : name(value.node()));
    return out;
  }

 private:
  std::string name(int k) const {
    const GraphNode& node = graph_.nodes()[static_cast<std::size_t>(k)];
    if (node.op == Op::number) return literal(node.value);
    if (node.op == Op::input)
      return fmt::format("{}[{}]", graph_.arrays()[static_cast<std::size_t>(node.a)], node.b);
    return fmt::format("x{}", k);
  }
  std::string formula(const GraphNode& node) const {
    if (const char* sign = sign_of(node.op)) return fmt::format("{} {} {}", name(node.a), sign, name(node.b));
    if (node.op == Op::negate) return "-" + name(node.a);
    if (node.op == Op::select)
      return fmt::format("choose<real>({}, {}, {})", name(node.c), name(node.a), name(node.b));
    const char* function = function_of(node.op);
    return node.b < 0 ? fmt::format("{}({})", function, name(node.a))
                      : fmt::format("{}({}, {})", function, name(node.a), name(node.b));
  }

  const Graph& graph_;
  std::vector<bool> needed_;
};

}  // namespace

std::string literal(double value) {
  std::string text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

std::string emit(const Graph& graph, const std::vector<std::pair<std::string, Recorded>>& results) {
  return Emission(graph, results).text(results);
}

}  // namespace trammel::kernel
