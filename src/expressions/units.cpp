#include "expressions/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "expressions/lexer.h"
#include "expressions/nearest_name.h"

namespace trammel::expressions {
namespace {

// SI value = number * up / down: two exact factors, so that 9 mm is the double nearest to 0.009.
struct Unit {
  double up = 1, down = 1;
  Dimension dimension;
};

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

constexpr Dimension kLength{.length = 1}, kMass{.mass = 1}, kTime{.time = 1}, kAngle{.angle = 1};
constexpr Dimension kForce{.length = 1, .mass = 1, .time = -2}, kEnergy{.length = 2, .mass = 1, .time = -2};
constexpr Dimension kPower{.length = 2, .mass = 1, .time = -3},
    kPressure{.length = -1, .mass = 1, .time = -2};
constexpr double kTurn = 2 * std::numbers::pi;

constexpr NamedUnit kUnits[] = {
    {"m", {1, 1, kLength}},
    {"mm", {1, 1e3, kLength}},
    {"cm", {1, 1e2, kLength}},
    {"km", {1e3, 1, kLength}},
    {"um", {1, 1e6, kLength}},
    {"in", {254, 1e4, kLength}},
    {"ft", {3048, 1e4, kLength}},
    {"kg", {1, 1, kMass}},
    {"g", {1, 1e3, kMass}},
    {"mg", {1, 1e6, kMass}},
    {"t", {1e3, 1, kMass}},
    {"lb", {45359237, 1e8, kMass}},
    {"s", {1, 1, kTime}},
    {"ms", {1, 1e3, kTime}},
    {"us", {1, 1e6, kTime}},
    {"min", {60, 1, kTime}},
    {"h", {3600, 1, kTime}},
    {"rad", {1, 1, kAngle}},
    {"deg", {std::numbers::pi, 180, kAngle}},
    {"rev", {kTurn, 1, kAngle}},
    {"turn", {kTurn, 1, kAngle}},
    {"rpm", {kTurn, 60, {.time = -1, .angle = 1}}},
    {"Hz", {1, 1, {.time = -1}}},
    {"N", {1, 1, kForce}},
    {"kN", {1e3, 1, kForce}},
    {"mN", {1, 1e3, kForce}},
    {"J", {1, 1, kEnergy}},
    {"W", {1, 1, kPower}},
    {"Pa", {1, 1, kPressure}},
    {"kPa", {1e3, 1, kPressure}},
    {"MPa", {1e6, 1, kPressure}},
    {"GPa", {1e9, 1, kPressure}},
};

// a * b^power
Unit product(Unit a, const Unit& b, int power) {
  for (int k = 0; k < std::abs(power); ++k) {
    a.up *= power > 0 ? b.up : b.down;
    a.down *= power > 0 ? b.down : b.up;
  }
  a.dimension.length += power * b.dimension.length;
  a.dimension.mass += power * b.dimension.mass;
  a.dimension.time += power * b.dimension.time;
  a.dimension.angle += power * b.dimension.angle;
  return a;
}

bool is_name_character(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                      (static_cast<unsigned char>(c) & 0x80U) != 0;
  return letter || (!first && c >= '0' && c <= '9');
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr std::string_view kMiddleDot = "\xC2\xB7";  // ·

const Unit* find_unit(std::string_view name) {
  for (const NamedUnit& known : kUnits) {
    if (known.name == name) return &known.unit;
  }
  return nullptr;
}

// "m2" → "m^2", "s²" → "s^2"; empty if it is no power of a unit.
std::string with_power(std::string_view name) {
  for (const auto& [sign, power] : {std::pair("\xC2\xB2", '2'), std::pair("\xC2\xB3", '3')}) {
    if (name.size() > 2 && name.ends_with(sign) && find_unit(name.substr(0, name.size() - 2)) != nullptr)
      return fmt::format("{}^{}", name.substr(0, name.size() - 2), power);
  }
  if (name.size() < 2 || name.back() < '2' || name.back() > '9') return {};
  const std::string_view base = name.substr(0, name.size() - 1);
  return find_unit(base) != nullptr ? fmt::format("{}^{}", base, name.back()) : std::string();
}

// "Nm" → "N.m", "kgm2" → "kg.m^2", "Nms" → "N.m.s": a force or a mass written together with what follows it.
std::string split_into_units(std::string_view name, int depth = 0) {
  constexpr int kMostFactors = 3;
  const auto means_something = [&](const Unit& first, std::string_view rest) {
    const Unit* second = find_unit(rest.substr(0, 1));
    return depth > 0 || first.dimension == kForce || first.dimension == kEnergy ||
           (first.dimension == kMass && second != nullptr && second->dimension == kLength);
  };
  for (std::size_t n = name.size(); n-- > 1;) {
    const std::string_view rest = name.substr(n);
    const Unit* first = find_unit(name.substr(0, n));
    if (first == nullptr || !means_something(*first, rest)) continue;
    std::string tail = find_unit(rest) != nullptr ? std::string(rest) : with_power(rest);
    if (tail.empty() && depth + 2 < kMostFactors) tail = split_into_units(rest, depth + 1);
    if (!tail.empty()) return fmt::format("{}.{}", name.substr(0, n), tail);
  }
  return {};
}

// What a name that is no unit was probably meant as; empty if nothing comes near.
std::string meant_unit(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
      {"\xC2\xB0", "deg"},   {"degree", "deg"},      {"degrees", "deg"},   {"radian", "rad"},
      {"radians", "rad"},    {"sec", "s"},           {"second", "s"},      {"seconds", "s"},
      {"minute", "min"},     {"minutes", "min"},     {"hour", "h"},        {"hours", "h"},
      {"meter", "m"},        {"meters", "m"},        {"metre", "m"},       {"metres", "m"},
      {"inch", "in"},        {"inches", "in"},       {"foot", "ft"},       {"feet", "ft"},
      {"gram", "g"},         {"grams", "g"},         {"lbs", "lb"},        {"\xC2\xB5m", "um"},
      {"tonne", "t"},        {"ton", "t"},           {"newton", "N"},      {"joule", "J"},
      {"watt", "W"},         {"pascal", "Pa"},       {"kph", "km/h"},      {"kmh", "km/h"},
      {"kilogram", "kg"},    {"kilograms", "kg"},    {"kilo", "kg"},       {"newtons", "N"},
      {"joules", "J"},       {"watts", "W"},         {"millimeter", "mm"}, {"millimeters", "mm"},
      {"millimetre", "mm"},  {"millimetres", "mm"},  {"centimeter", "cm"}, {"centimetre", "cm"},
      {"millisecond", "ms"}, {"milliseconds", "ms"}, {"msec", "ms"},       {"revolutions", "rev"},
      {"turns", "turn"},     {"\xC2\xB5s", "us"},    {"\xCE\xBCm", "um"},  {"\xCE\xBCs", "us"}};
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  for (const auto& [other, unit] : kOtherNames) {
    if (other == lower) return std::string(unit);
  }
  if (std::string power = with_power(name); !power.empty()) return power;
  if (std::string split = split_into_units(name); !split.empty()) return split;
  std::vector<std::string> known;
  for (const NamedUnit& unit : kUnits) known.emplace_back(unit.name);
  return nearest_name(std::string(name), known);
}

// One of an unknown unit in units that are known: "1000 W" of kW, "4.448222 N" of lbf; empty if there is no
// such.
std::string in_known_units(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOtherUnits[] = {
      {"lbf", "4.448222 N"},  {"kgf", "9.80665 N"}, {"bar", "100 kPa"},
      {"psi", "6894.757 Pa"}, {"hp", "745.7 W"},    {"yd", "0.9144 m"},
      {"mph", "0.44704 m/s"}, {"oz", "28.34952 g"}, {"slug", "14.5939 kg"}};
  for (const auto& [other, known] : kOtherUnits)
    if (other == name) return std::string(known);
  static constexpr std::pair<char, std::string_view> kPrefixes[] = {
      {'n', "1e-9"}, {'u', "1e-6"}, {'m', "0.001"}, {'c', "0.01"},
      {'d', "0.1"},  {'k', "1000"}, {'M', "1e6"},   {'G', "1e9"}};
  for (const auto& [prefix, factor] : kPrefixes)
    for (const std::string_view unit : {"m", "g", "s", "rad", "N", "J", "W", "Pa", "Hz"})
      if (name.size() == unit.size() + 1 && name.front() == prefix && name.ends_with(unit))
        return fmt::format("{} {}", factor, unit);
  return {};
}

// Reads the unit that starts at a column of the text. Throws ExpressionError.
class UnitReader {
 public:
  UnitReader(std::string_view text, std::size_t at) : text_(text), start_(at), at_(at) {}

  Unit whole() {
    const Unit unit = products();
    if (ended()) return unit;
    // "5 kg m^2", "5 N-m"
    const std::string_view next = text_.substr(at_ + (text_[at_] == '-' ? 1 : 0));
    if (!name_at(next).empty() && (text_[at_] != '-' || find_unit(name_at(next)) != nullptr))
      fail(fmt::format("unexpected '{}' after the unit: between units write '.', as in N.m",
                       text_.substr(at_)));
    fail_mixed(at_);
  }

 private:
  static constexpr int kMaxDepth = 20, kMaxPower = 9;

  [[noreturn]] void fail(std::string message) const { throw ExpressionError{std::move(message), at_}; }
  bool ended() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ == text_.size();
  }
  bool accept(char c) {
    if (ended() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A number with a unit, and then an expression: the unit ends at a column.
  [[noreturn]] void fail_mixed(std::size_t end) const { fail(mixed_units(text_.substr(0, end))); }

  static std::string_view name_at(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && is_name_character(text[n], n == 0) && !text.substr(n).starts_with(kMiddleDot))
      ++n;
    return text.substr(0, n);
  }

  bool accept_times() {
    if (accept('.') || accept('*')) return true;
    if (ended() || !text_.substr(at_).starts_with(kMiddleDot)) return false;
    at_ += kMiddleDot.size();
    return true;
  }

  Unit products() {
    Unit unit = product({}, factor(), 1);
    for (bool divided = false;;) {
      ended();
      end_ = at_;
      const bool is_star = at_ < text_.size() && text_[at_] == '*';
      if (accept('/')) {
        divided = true;
        unit = product(unit, factor(), -1);
      } else if (accept_times()) {
        // 60 rpm * t: the time, not tonnes
        if (!ended() && is_star && name_at(text_.substr(at_)) == "t") fail_mixed(end_);
        if (divided) fail("a product after '/' can be read in two ways: use parentheses, as in N/(m.s)");
        unit = product(unit, factor(), 1);
      } else {
        return unit;
      }
    }
  }

  Unit factor() {
    if (!accept('(')) return power(named());
    if (++depth_ > kMaxDepth) fail("too many parentheses in the unit: write it plainly, as in N.s/m");
    const Unit inner = products();
    if (!accept(')')) fail("missing ')' in the unit");
    --depth_;
    return inner;
  }

  Unit power(const Unit& unit) {
    if (!accept('^')) return unit;
    const int sign = accept('-') ? -1 : 1;
    ended();
    int n = 0;
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && n <= kMaxPower)
      n = 10 * n + (text_[at_++] - '0');
    if (at_ == start || n > kMaxPower) {
      at_ = start;
      fail(fmt::format("the power of a unit is a whole number from -{} to {}, as in m^2", kMaxPower,
                       kMaxPower));
    }
    return product({}, unit, sign * n);
  }

  Unit named() {
    // The 1 of "1/s"
    if (!ended() && text_.substr(at_, 2) == "1/") {
      ++at_;
      return {};
    }
    const std::string_view name = name_at(text_.substr(at_));
    if (const Unit* known = find_unit(name)) {
      at_ += name.size();
      return *known;
    }
    if (name.empty()) fail("a unit is missing here: write one such as m, kg, N.m or rad/s");
    fail_unknown(name);
  }

  [[noreturn]] void fail_unknown(std::string_view name) const {
    const std::string_view after = trimmed(text_.substr(at_ + name.size()));
    const bool is_first = at_ == start_;
    if (const std::string one = in_known_units(name); !one.empty())
      fail(fmt::format("unknown unit '{}': 1 {} is {}; write the number in that unit", name, name, one));
    const std::string meant = meant_unit(name);
    // 60 rpm*sin(t), 5 N*speed
    if (!is_first && (after.starts_with('(') || meant.empty())) fail_mixed(end_);
    const bool is_power = after.size() > 1 && after[0] == '^' && after[1] >= '0' && after[1] <= '9';
    const std::string_view power = is_power ? after.substr(0, 2) : std::string_view();
    if (!meant.empty())
      fail(fmt::format("unknown unit '{}{}': did you mean '{}{}'?", name, power, meant, power));
    std::vector<std::string_view> known;
    for (const NamedUnit& unit : kUnits) known.push_back(unit.name);
    // Right after the number the name may have been meant as a factor.
    fail(fmt::format("unknown unit '{}': to multiply write {}*{}; use one of {}", name,
                     trimmed(text_.substr(0, start_)), name, fmt::join(known, " ")));
  }

  std::string_view text_;
  std::size_t start_;
  std::size_t at_;
  std::size_t end_ = 0;  // of the factors read so far
  int depth_ = 0;
};

Quantity checked(double value, std::optional<Dimension> dimension) {
  if (!std::isfinite(value)) throw ExpressionError{"the number is outside the range 1e-308 to 1e308", 0};
  return {value, dimension};
}

}  // namespace

std::optional<std::variant<Quantity, ExpressionError>> parse_quantity(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const NumberText number = at < text.size() ? read_number(text.substr(at)) : NumberText{};
  if (number.length == 0) return std::nullopt;
  at += number.length;
  while (at < text.size() && is_blank(text[at])) ++at;
  const double value = negative ? -number.value : number.value;
  try {
    if (at == text.size()) return checked(value, std::nullopt);
    if (is_lookalike(text.substr(at))) return std::nullopt;
    if (!is_name_character(text[at], true) && text.substr(at, 2) != "1/") return std::nullopt;
    const Unit unit = UnitReader(text, at).whole();
    return checked(value * unit.up / unit.down, unit.dimension);
  } catch (ExpressionError& error) {
    return std::move(error);
  }
}

std::string mixed_units(std::string_view quantity) {
  return fmt::format(
      "units do not mix with expressions: make {} a parameter and write its name instead, as in speed*t",
      trimmed(quantity));
}

std::string_view leading_quantity(std::string_view text) {
  for (std::size_t n = text.size(); n > 0; --n) {
    const auto read = parse_quantity(text.substr(0, n));
    const auto* quantity = read ? std::get_if<Quantity>(&*read) : nullptr;
    if (quantity != nullptr && quantity->dimension) return trimmed(text.substr(0, n));
  }
  return {};
}

bool compatible(const Dimension& a, const Dimension& b) {
  return a.length == b.length && a.mass == b.mass && a.time == b.time;
}

std::string to_string(const Dimension& given) {
  constexpr Dimension kWatt{.length = 2, .mass = 1, .time = -3, .angle = 0};
  if (given == kWatt) return "W";
  // Stiffnesses and dampings are given by forces; kg.m^2/s is an angular momentum.
  const bool damps = given.time == -1 && (given.length == 0 || given.angle == -1);
  const bool by_force = given.mass == 1 && (given.time <= -2 || damps);
  const std::pair<std::string_view, int> factors[] = {{"N", by_force ? 1 : 0},
                                                      {"kg", given.mass - (by_force ? 1 : 0)},
                                                      {"m", given.length - (by_force ? 1 : 0)},
                                                      {"rad", given.angle},
                                                      {"s", given.time + (by_force ? 2 : 0)}};
  std::string above, below;
  for (const auto& [name, power] : factors) {
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    if (power < 0)
      side += '/';
    else if (!side.empty())
      side += '.';
    side += name;
    if (std::abs(power) != 1) side += fmt::format("^{}", std::abs(power));
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace trammel::expressions
