// Errors, names and placements shared by the parts of the model reader.
#include "model/reader/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "expressions/builtins.h"
#include "expressions/nearest_name.h"

namespace trammel {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Enough for any person; a file of nonsense must not cost quadratic time.
constexpr std::size_t kMaxErrors = 1000;

}  // namespace

bool model::is_reserved(const std::string& name) {
  static const std::vector<std::string> kReserved = {"ground", "t", "pi", "and", "or", "not", "free"};
  return std::ranges::find(kReserved, name) != kReserved.end() || expressions::find_builtin(name) != nullptr;
}

bool model::is_identifier(const std::string& text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string model::suggest(const std::string& unknown, const std::vector<std::string>& known,
                           const std::string& otherwise) {
  const std::string nearest = expressions::nearest_name(unknown, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  constexpr std::size_t kListed = 30;
  if (known.empty() || known.size() > kListed) return otherwise;
  return fmt::format("{} (there are: {})", otherwise, fmt::join(known, ", "));
}

std::string model::suggest(const std::string& unknown, const model::NameIndex& known,
                           const std::string& otherwise) {
  std::vector<std::string> names;
  for (const auto& [name, index] : known) names.push_back(name);
  std::sort(names.begin(), names.end());
  return model::suggest(unknown, names, otherwise);
}

std::string to_string(const InputError& error) {
  std::string where = error.file;
  if (error.line > 0) where += fmt::format(":{}", error.line);
  if (error.line > 0 && error.column > 0) where += fmt::format(":{}", error.column);
  return fmt::format("{}: {}{}{}", where, error.message, error.remedy.empty() ? "" : "; ", error.remedy);
}

const Mechanism& ModelInput::value() const& {
  if (errors.empty()) return mechanism;
  std::string all;
  for (const InputError& error : errors) all += (all.empty() ? "" : "\n") + to_string(error);
  throw std::invalid_argument(all);
}

Mechanism ModelInput::value() && {
  (void)std::as_const(*this).value();
  return std::move(mechanism);
}

model::ModelContext::ModelContext(std::string file, const std::vector<std::string>& settings)
    : file_(std::move(file)), settings_(settings) {}

InputError model::ModelContext::place_of(int line, int column) const {
  if (line >= 0) return {file_, line, column, "", ""};
  // a setting of the command line, as it was written there
  const std::string& setting = settings_.at(static_cast<std::size_t>(-line - 1));
  return {(setting.starts_with("--") ? "" : "--set ") + setting, 0, 0, "", ""};
}

void model::ModelContext::error(int line, int column, std::string message, std::string remedy) {
  InputError error = place_of(line, column);
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  broken_.insert({entry.line, entry.column});
  if (errors_.size() >= kMaxErrors) return;
  const auto is_same = [&](const InputError& e) {
    const bool same_place = e.file == error.file && e.line == error.line && e.column == error.column;
    return same_place && (instance > 0 || e.message == error.message);
  };
  if (std::none_of(errors_.begin(), errors_.end(), is_same)) errors_.push_back(std::move(error));
}

void model::ModelContext::error(const Source& start, bool is_literal, const std::string& label,
                                const expressions::ExpressionError& wrong) {
  const std::size_t colon = wrong.message.rfind(": ");
  const int column = start.column + (is_literal ? static_cast<int>(wrong.column) : 0);
  error(start.line, column, fmt::format("{}: {}", label, wrong.message.substr(0, colon)),
        colon == std::string::npos ? "" : wrong.message.substr(colon + 2));
}

void model::ModelContext::note(const YamlNode& at, const std::string& message, const std::string& remedy) {
  InputError note = place_of(at.line, at.column);
  note.message = message;
  note.remedy = remedy;
  std::string text = to_string(note);
  if (std::ranges::find(notes, text) == notes.end() && notes.size() < kMaxErrors)
    notes.push_back(std::move(text));
}

bool model::ModelContext::has_error(const model::YamlNode& value) const {
  if (std::ranges::any_of(value.children, [&](const model::YamlNode& part) { return has_error(part); }))
    return true;
  const InputError place = place_of(value.line, value.column);
  const int end = place.column + static_cast<int>(value.text.size());
  return std::any_of(errors_.begin(), errors_.end(), [&](const InputError& e) {
    return e.file == place.file && e.line == place.line && e.column >= place.column && e.column <= end;
  });
}

std::vector<InputError> model::ModelContext::take_errors() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const InputError& a, const InputError& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return std::move(errors_);
}

bool model::ModelContext::declare(const model::YamlNode& at, const std::string& name,
                                  const std::string& what) {
  if (!model::is_identifier(name)) {
    const bool repeats = name.find('{') != std::string::npos;
    error(at, fmt::format("'{}' cannot name a {}", name, what),
          repeats ? "give the entry `for: {i: 1..3}` to repeat it"
                  : "use letters, digits and _, starting with a letter, so that expressions can use it");
    return false;
  }
  if (is_reserved(name)) {
    const bool is_function = expressions::find_builtin(name) != nullptr;
    error(at,
          is_function ? fmt::format("'{}' is a function of expressions, and cannot name a {} too", name, what)
                      : fmt::format("'{}' has a meaning of its own and cannot name a {}", name, what),
          "choose another name");
    return false;
  }
  const auto [known, is_new] = meanings_.emplace(name, what);
  if (!is_new) {
    error(at, fmt::format("'{}' is already the name of a {}", name, known->second),
          "use a name once in a model, so that expressions are clear");
  }
  return is_new;
}

std::string model::ModelContext::meaning(const std::string& name) const {
  const auto found = meanings_.find(name);
  return found == meanings_.end() ? std::string{} : found->second;
}

void model::ModelContext::report_unknown(const model::YamlNode& at, const std::string& what,
                                         const std::string& name, const model::NameIndex& known,
                                         const std::string& remedy) {
  if (names_are_incomplete) return;
  const std::string other = meaning(name);
  error(at, fmt::format("there is no {} '{}'", what, name),
        other.empty() ? model::suggest(name, known, remedy) : fmt::format("'{}' is a {}", name, other));
}

bool model::ModelContext::find_body(const model::YamlNode& at, const std::string& name) {
  if (is_body(name)) return true;
  report_unknown(at, "body", name, bodies, "declare it under `bodies:`");
  return false;
}

Joint* model::ModelContext::find_joint(const model::YamlNode& at, const std::string& name) {
  const auto found = joints.find(name);
  if (found != joints.end()) return &mechanism.joints[found->second];
  report_unknown(at, "joint", name, joints, "declare it under `joints:`");
  return nullptr;
}

Point* model::ModelContext::find_point(const model::YamlNode& at, const std::string& name) {
  const auto found = points.find(name);
  if (found != points.end()) return &mechanism.points[found->second];
  report_unknown(at, "point", name, points, "declare it under `points:`, or write body.point");
  return nullptr;
}

Frame model::ModelContext::placement(const std::string& body) const {
  const auto found = bodies.find(body);
  return found == bodies.end() ? Frame{} : mechanism.bodies[found->second].placement;
}

Marker model::ModelContext::marker_at(const std::string& body, const Frame& world) const {
  const Frame place = placement(body);
  const Mat3 to_body = place.axes.transpose();
  return {body, {to_body * (world.at - place.at), to_body * world.axes}};
}

}  // namespace trammel
