#include "sweep/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "expressions/nearest_name.h"

namespace trammel::sweep {
namespace {

constexpr double kMostCurvePoints = 100000;

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// Where a name ends that begins at `at`.
std::size_t name_end(const std::string& text, std::size_t at) {
  while (at < text.size() && is_name_char(text[at])) ++at;
  return at;
}

[[noreturn]] void fail_at(std::size_t column, const std::string& message) {
  throw std::invalid_argument(fmt::format("character {}: {}", column + 1, message));
}

// "F=peak(A.force)": the name; else the text itself.
std::size_t name_length(const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0 || given.substr(equals, 2) == "==") return 0;
  std::string name = given.substr(0, equals);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  const bool plain = std::ranges::all_of(name, is_name_char) &&
                     std::isdigit(static_cast<unsigned char>(name.empty() ? '0' : name[0])) == 0;
  return plain ? equals : 0;
}

std::string stripped(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

// A call in a text: name(argument, …).
struct Observations::Call {
  std::size_t from, open, close;    // of the name, its parentheses
  std::vector<std::size_t> commas;  // at the call's own level

  std::size_t arguments() const { return commas.size() + 1; }
  // The text of an argument, and where it begins.
  std::string argument(const std::string& text, std::size_t k, std::size_t& begins) const {
    begins = k == 0 ? open + 1 : commas[k - 1] + 1;
    return text.substr(begins, (k < commas.size() ? commas[k] : close) - begins);
  }

  static Call read(const std::string& text, std::size_t from, std::size_t open, std::size_t offset) {
    Call call{from, open, open, {}};
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ',' && depth == 1) call.commas.push_back(at);
      if (text[at] != ')' || --depth > 0) continue;
      call.close = at;
      return call;
    }
    fail_at(offset + open, "this parenthesis is not closed; add ')'");
  }
};

Observations::Observations(const std::vector<std::string>& texts, const std::vector<Channel>& channels,
                           const std::vector<std::string>& parameters,
                           const std::vector<double>& output_times, std::vector<std::string>& errors)
    : channels_(channels), output_times_(output_times), parameters_(parameters) {
  const auto slot_for = [this](const std::string& name, Slot slot) {
    slots_.push_back(slot);
    return symbols_.variable(name);
  };
  const auto find_channel = [this](const std::string& name) {
    return std::ranges::find(channels_, name, &Channel::name);
  };
  symbols_.resolve = [this, slot_for, find_channel](const std::string& name) -> std::optional<int> {
    if (const auto at = find_channel(name); at != channels_.end()) {
      needed_.push_back(name);
      units_.push_back(at->unit);
      return slot_for(name, {Slot::Of::column, needed_.size()});  // the time is column 0
    }
    const auto at = std::ranges::find(parameters_, name);
    if (at == parameters_.end()) return std::nullopt;
    return slot_for(name, {Slot::Of::parameter, static_cast<std::size_t>(at - parameters_.begin())});
  };
  // The magnitude of a vector.
  symbols_.expand = [find_channel, this](const std::string& name) -> std::optional<std::string> {
    if (find_channel(name + ".x") == channels_.end() || find_channel(name + ".y") == channels_.end())
      return {};
    std::string sum = fmt::format("{0}.x^2 + {0}.y^2", name);
    if (find_channel(name + ".z") != channels_.end()) sum += fmt::format(" + {}.z^2", name);
    return "sqrt(" + sum + ")";
  };
  symbols_.suggestions = [this] {
    std::vector<std::string> names = parameters_;
    for (const Channel& channel : channels_) names.push_back(channel.name);
    return names;
  };
  if (texts.empty())
    errors.emplace_back(
        "nothing is observed; give --observe 'peak(A.force)', say, or `observe:` in the model");
  for (const std::string& text : texts) add(text, errors);
  symbols_.resolve = nullptr;
  symbols_.expand = nullptr;
  symbols_.suggestions = nullptr;
}

void Observations::add(const std::string& given, std::vector<std::string>& errors) {
  const std::size_t equals = name_length(given), begins = equals == 0 ? 0 : equals + 1;
  SweepColumn column;
  column.text = stripped(given.substr(begins));
  column.name = equals == 0 ? column.text : stripped(given.substr(0, equals));
  try {
    const std::size_t before = reductions_.size();
    Observation made{parse(extract(given.substr(begins), begins), begins), -1};
    if (has_columns(made.whole))
      fail_at(begins, fmt::format("'{}' is a column, which has a value for each time; observe peak({}), say",
                                  column.text, column.text));
    for (std::size_t k = before; k < reductions_.size(); ++k)
      if (reductions_[k].reducer->of_curve != nullptr) made.curve = static_cast<int>(k);
    if (made.curve >= 0) find_points(reductions_[static_cast<std::size_t>(made.curve)], column);
    column.unit =
        made.curve >= 0 ? reduction_units_[static_cast<std::size_t>(made.curve)] : unit_of(made.whole);
    if (std::ranges::count(columns_, column.name, &SweepColumn::name) > 0)
      fail_at(0, fmt::format("'{}' is observed twice; give one of them another name: NAME={}", column.name,
                             column.text));
    size_ += column.size();
    observations_.push_back(std::move(made));
    columns_.push_back(std::move(column));
  } catch (const std::invalid_argument& error) {
    errors.push_back(fmt::format("observe '{}': {}", given, error.what()));
  }
}

// The text with every reduction replaced by a name, of the same length, so that characters keep their
// numbers.
std::string Observations::extract(const std::string& text, std::size_t offset) {
  std::string left = text;
  for (std::size_t at = 0; at < left.size();) {
    if (!is_name_char(left[at])) {
      ++at;
      continue;
    }
    const std::size_t end = name_end(left, at), open = left.find_first_not_of(' ', end);
    const Reducer* reducer = find_reducer(std::string_view(left).substr(at, end - at));
    if (reducer == nullptr || open == std::string::npos || left[open] != '(') {
      at = end;
      continue;
    }
    const Call call = Call::read(left, at, open, offset);
    // min(a, b) and max(a, b) are functions of expressions.
    if (reducer->most == 1 && call.arguments() > 1 && (reducer->name == "min" || reducer->name == "max")) {
      at = open + 1;
      continue;
    }
    const std::string name = reduce(call, left, offset);
    left.replace(at, call.close + 1 - at, name + std::string(call.close + 1 - at - name.size(), ' '));
    at = call.close + 1;
  }
  return left;
}

std::string Observations::reduce(const Call& call, const std::string& text, std::size_t offset) {
  const Reducer& reducer = *find_reducer(stripped(text.substr(call.from, call.open - call.from)));
  const std::size_t count = call.arguments();
  if (count < reducer.least || count > reducer.most || (reducer.most == 4 && count != 1 && count != 4))
    fail_at(offset + call.from, fmt::format("there are {} arguments; write {}", count, reducer.usage));
  std::size_t begins = 0;
  const std::string first = call.argument(text, 0, begins);
  Reduction made;
  made.reducer = &reducer;
  if (reducer.reduce == nullptr && reducer.of_curve == nullptr)
    made = read_condition(reducer, first, offset + begins);
  else
    made.column = parse(extract(first, offset + begins), offset + begins);
  if (!has_columns(made.column))
    fail_at(offset + begins,
            fmt::format("'{}' has no column of the results in it; name one", stripped(first)));
  for (std::size_t k = 1; k < count; ++k) {
    const std::string argument = call.argument(text, k, begins);
    made.arguments.push_back(parse(extract(argument, offset + begins), offset + begins));
    if (has_columns(made.arguments.back()))
      fail_at(offset + begins, fmt::format("'{}' changes with time; give a number", stripped(argument)));
  }
  reduction_units_.push_back(reducer.keeps_unit ? unit_of(made.column) : std::string(reducer.unit));
  reductions_.push_back(std::move(made));
  // The shortest call, min(t), has six characters.
  const std::string name = fmt::format("_{}", reductions_.size() - 1);
  slots_.push_back({Slot::Of::reduction, reductions_.size() - 1});
  symbols_.variable(name);
  return name;
}

// "a > b" is a passage, found between rows; any other condition is found in the rows.
Observations::Reduction Observations::read_condition(const Reducer& reducer, const std::string& text,
                                                     std::size_t offset) {
  const std::string left = extract(text, offset);
  Reduction made;
  made.reducer = &reducer;
  made.passage = Reduction::Passage::by_row;
  made.column = parse(left, offset);
  const std::size_t sign = left.find_first_of("<>");
  const bool single =
      sign != std::string::npos && left.find_first_of("<>!", sign + 1) == std::string::npos &&
      left.find("==") == std::string::npos &&
      std::ranges::count(left.substr(0, sign), '(') == std::ranges::count(left.substr(0, sign), ')');
  for (const char* word : {" and ", " or ", "not "})
    if (left.find(word) != std::string::npos) return made;
  if (!single) return made;
  const bool equal = left.substr(sign + 1, 1) == "=";
  const std::string a = left.substr(0, sign), b = left.substr(sign + (equal ? 2 : 1));
  made.passage = equal ? Reduction::Passage::at_least : Reduction::Passage::above;
  made.column =
      parse(left[sign] == '>' ? fmt::format("({}) - ({})", a, b) : fmt::format("({}) - ({})", b, a), offset);
  return made;
}

expressions::Expression Observations::parse(const std::string& text, std::size_t offset) {
  auto parsed = expressions::Expression::parse(text, symbols_);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
    const std::string word = text.substr(error->column, name_end(text, error->column) - error->column);
    std::vector<std::string> names;
    for (const Reducer& one : reducers()) names.emplace_back(one.name);
    const std::string near = expressions::nearest_name(word, names);
    const bool is_call =
        text.find_first_not_of(' ', error->column + word.size()) == text.find('(', error->column);
    if (!near.empty() && is_call && text.find('(', error->column) != std::string::npos)
      fail_at(offset + error->column,
              fmt::format("there is no function '{}'; did you mean '{}'?", word, near));
    fail_at(offset + error->column, error->message);
  }
  return std::get<expressions::Expression>(std::move(parsed));
}

bool Observations::has_columns(const expressions::Expression& expression) const {
  return std::ranges::any_of(expression.slots(), [this](int slot) {
    return slots_[static_cast<std::size_t>(slot)].of == Slot::Of::column;
  });
}

// Times or frequencies of a curve, which is all of an observation.
void Observations::find_points(const Reduction& reduction, SweepColumn& column) const {
  const std::string form = std::string(reduction.reducer->usage);
  if (!column.text.starts_with(reduction.reducer->name) || !column.text.ends_with(')') ||
      std::ranges::count(column.text, '(') != std::ranges::count(column.text, ')') ||
      Call::read(column.text, 0, column.text.find('('), 0).close + 1 != column.text.size())
    throw std::invalid_argument(
        fmt::format("{} is a curve, which cannot be part of an expression; observe it by itself", form));
  const bool frequencies = reduction.reducer->name == "spectrum";
  column.point_unit = frequencies ? "Hz" : "s";
  if (reduction.arguments.empty()) {
    column.points = output_times_;
    return;
  }
  std::vector<double> numbers;
  for (const expressions::Expression& argument : reduction.arguments) {
    std::vector<double> scratch(static_cast<std::size_t>(argument.scratch_size()));
    if (!argument.is_constant())
      throw std::invalid_argument(fmt::format("the points of {} cannot depend on a run; give numbers", form));
    numbers.push_back(argument.value({}, scratch));
  }
  const double from = numbers[0], to = numbers[1], count = numbers[2];
  if (!(from >= 0) || !(to > from) || !std::isfinite(to))
    throw std::invalid_argument(fmt::format("{}: 'from' must be 0 or more, and 'to' above it", form));
  if (count != std::floor(count) || count < 2 || count > kMostCurvePoints)
    throw std::invalid_argument(
        fmt::format("{}: 'count' is {}; give a whole number from 2 to {}", form, count, kMostCurvePoints));
  for (double k = 0; k < count; ++k)
    column.points.push_back(k + 1 == count ? to : from + k * ((to - from) / (count - 1)));
}

// Of a text that is one column or one reduction alone, or the magnitude of a vector; else not known.
std::string Observations::unit_of(const expressions::Expression& expression) const {
  if (expression.slots().empty()) return {};
  std::string unit;
  const std::string text = stripped(expression.text());
  const bool plain = std::ranges::all_of(text, is_name_char);
  for (const int slot : expression.slots()) {
    const Slot& of = slots_[static_cast<std::size_t>(slot)];
    const std::string own = of.of == Slot::Of::column      ? units_[of.index - 1]
                            : of.of == Slot::Of::reduction ? reduction_units_[of.index]
                                                           : "";
    if (!unit.empty() && own != unit) return {};
    unit = own;
  }
  return plain ? unit : std::string();
}

// Of an expression, row by row, without rows that have no value.
std::vector<double> Observations::series_of(const expressions::Expression& expression,
                                            const ObservedRows& rows, std::vector<double>& x,
                                            std::vector<double>& times) const {
  std::vector<double> scratch(static_cast<std::size_t>(expression.scratch_size())), series;
  times.clear();
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const double* row = rows.values.data() + r * rows.width;
    for (const int slot : expression.slots()) {
      const Slot& of = slots_[static_cast<std::size_t>(slot)];
      if (of.of == Slot::Of::column) x[static_cast<std::size_t>(slot)] = row[of.index];
    }
    const double value = expression.value(x, scratch);
    if (std::isnan(value)) continue;
    times.push_back(row[0]);
    series.push_back(value);
  }
  return series;
}

double Observations::reduce_to_number(const Reduction& reduction, Series series,
                                      std::vector<double>& x) const {
  using Passage = Reduction::Passage;
  if (reduction.passage == Passage::by_row) return first_row(series);
  if (reduction.passage != Passage::none) return first_passage(series, reduction.passage == Passage::above);
  std::vector<double> arguments;
  for (const expressions::Expression& argument : reduction.arguments) {
    std::vector<double> scratch(static_cast<std::size_t>(argument.scratch_size()));
    arguments.push_back(argument.value(x, scratch));
  }
  return reduction.reducer->reduce(series, arguments);
}

void Observations::evaluate(const ObservedRows& rows, const std::vector<double>& parameters,
                            std::vector<double>& out) const {
  std::vector<double> x(slots_.size()), times;
  for (std::size_t k = 0; k < slots_.size(); ++k)
    if (slots_[k].of == Slot::Of::parameter) x[k] = parameters[slots_[k].index];
  std::vector<std::size_t> slot_of(reductions_.size());
  for (std::size_t k = 0; k < slots_.size(); ++k)
    if (slots_[k].of == Slot::Of::reduction) slot_of[slots_[k].index] = k;
  std::vector<std::vector<double>> curves(reductions_.size());
  // A reduction reads those before it.
  for (std::size_t k = 0; k < reductions_.size(); ++k) {
    const Reduction& reduction = reductions_[k];
    const std::vector<double> series = series_of(reduction.column, rows, x, times);
    if (reduction.reducer->of_curve == nullptr) {
      x[slot_of[k]] = reduce_to_number(reduction, {times, series}, x);
      continue;
    }
    for (std::size_t o = 0; o < observations_.size(); ++o) {
      if (observations_[o].curve != static_cast<int>(k)) continue;
      curves[k].resize(columns_[o].size());
      reduction.reducer->of_curve({times, series}, columns_[o].points, curves[k]);
    }
  }
  out.clear();
  for (const Observation& one : observations_) {
    if (one.curve >= 0) {
      const std::vector<double>& curve = curves[static_cast<std::size_t>(one.curve)];
      out.insert(out.end(), curve.begin(), curve.end());
      continue;
    }
    std::vector<double> scratch(static_cast<std::size_t>(one.whole.scratch_size()));
    // Comparisons would make a number of what is missing.
    const bool missing = std::ranges::any_of(
        one.whole.slots(), [&](int slot) { return std::isnan(x[static_cast<std::size_t>(slot)]); });
    out.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : one.whole.value(x, scratch));
  }
}

}  // namespace trammel::sweep
