#include "reproduce/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace trammel::reproduce {
namespace {

constexpr double kFarthest = 30;          // %, beyond which a figure is not the printed one
const double kRootTen = std::sqrt(10.0);  // "of the order of" a power of ten
constexpr double kLadder[] = {1, 2, 3, 5};

// The next step of 1, 2, 3, 5, 10 …
double rounded_up(double percent) {
  if (percent <= 0.001) return 0.001;
  const double decade = std::pow(10, std::floor(std::log10(percent)));
  for (const double step : kLadder)
    if (percent <= step * decade * (1 + 1e-12)) return step * decade;
  return 10 * decade;
}

void require_figure(const Row& row, const Measured& measured) {
  if (std::isnan(measured.value)) throw std::logic_error("no figure was measured for " + row.key);
}

Judgement judge_number(const Printed& printed, const Row& row, const Measured& measured) {
  require_figure(row, measured);
  Judgement j;
  const double difference = std::abs(measured.value - printed.value);
  j.difference = printed.value == 0 ? difference : difference / std::abs(printed.value);
  if (!row.fitted.empty()) {
    j.verdict = measured.holds.value_or(false) ? Verdict::same_behaviour : Verdict::not_reproduced;
  } else if (difference <= printed.half_unit * (1 + 1e-9) + row.noise) {
    j.verdict = Verdict::reproduced;
  } else if (printed.value != 0 && 100 * j.difference <= kFarthest) {
    j.verdict = Verdict::within;
    j.percent = rounded_up(100 * j.difference);
  } else {
    j.verdict = measured.holds.value_or(false) ? Verdict::same_behaviour : Verdict::not_reproduced;
  }
  return j;
}

Judgement judge_bound(double bound, const Row& row, const Measured& measured) {
  require_figure(row, measured);
  Judgement j;
  if (std::abs(measured.value) <= bound)
    j.verdict = Verdict::reproduced;
  else if (measured.holds.value_or(false))
    j.verdict = Verdict::same_behaviour;
  return j;
}

Judgement judge_check(const Row& row, const Measured& measured) {
  require_figure(row, measured);
  Judgement j;
  j.verdict = std::abs(measured.value) <= row.bound ? Verdict::checked : Verdict::failed;
  return j;
}

}  // namespace

std::optional<Printed> parse_printed(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  const std::size_t e = text.find_first_of("eE");
  const std::string mantissa = text.substr(0, e);
  const int exponent = e == std::string::npos ? 0 : std::atoi(text.c_str() + e + 1);
  const std::size_t point = mantissa.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  return Printed{value, 0.5 * std::pow(10.0, exponent - decimals)};
}

Judgement judge(const Row& row, const Measured& measured) {
  if (row.is_check()) return judge_check(row, measured);
  const std::string& text = row.published;
  if (const auto printed = parse_printed(text)) return judge_number(*printed, row, measured);
  const auto rest = [&](std::size_t from) {
    return parse_printed(text.substr(text.find_first_not_of(' ', from)));
  };
  if (text.starts_with("<"))
    if (const auto bound = rest(1)) return judge_bound(bound->value, row, measured);
  if (text.starts_with("~"))
    if (const auto order = rest(1)) return judge_bound(order->value * kRootTen, row, measured);
  if (!measured.holds) throw std::logic_error("nothing was measured for " + row.key);
  Judgement j;
  j.verdict = *measured.holds ? Verdict::same_behaviour : Verdict::not_reproduced;
  return j;
}

std::string to_string(const Judgement& judgement) {
  switch (judgement.verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::within:
      return fmt::format("within {:.3g} %", judgement.percent);
    case Verdict::same_behaviour:
      return "same behaviour";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::checked:
      return "checked";
    case Verdict::not_run:
      return "not run";
    case Verdict::failed:
      return "failed";
  }
  return {};
}

double badness(const std::string& verdict) {
  if (verdict == "reproduced" || verdict == "checked") return 0;
  if (verdict.starts_with("within ")) return std::atof(verdict.c_str() + 7);  // at most 30
  const char* const worse[] = {"same behaviour", "not reproduced", "not run", "failed"};
  double level = 100;
  for (const char* name : worse) {
    if (verdict == name) return level;
    level += 100;
  }
  throw std::runtime_error(fmt::format("there is no verdict '{}'; record the verdicts again", verdict));
}

std::string shown(double value, const std::string& like) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  const auto printed = parse_printed(like);
  if (!printed || printed->value == 0) return fmt::format("{:.4g}", value);
  // one digit more than printed
  const int digits =
      static_cast<int>(std::floor(std::log10(std::abs(printed->value) / (2 * printed->half_unit)) + 1e-9)) +
      2;
  const bool scientific = like.find_first_of("eE") != std::string::npos;
  return scientific ? fmt::format("{:.{}e}", value, digits - 1) : fmt::format("{:.{}g}", value, digits);
}

}  // namespace trammel::reproduce
