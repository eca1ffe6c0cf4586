#include "model/import/foreign_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trammel::model {
namespace {

// As the reader of model files allows.
constexpr double kLargestForeign = 1e150;
constexpr std::size_t kShownText = 60;

std::string shown(const std::string& text) {
  return text.size() <= kShownText ? text : text.substr(0, kShownText) + "…";
}

std::string how_many(std::size_t least, std::size_t most) {
  if (least == most) return least == 1 ? "a number" : fmt::format("{} numbers", least);
  return fmt::format("{} to {} numbers", least, most);
}

}  // namespace

std::optional<std::vector<double>> parse_numbers(const std::string& text, std::size_t least,
                                                 std::size_t most) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) break;
    if (*at == '+') ++at;
    double value = 0;
    const auto [stop, code] = std::from_chars(at, end, value);
    // below the smallest number it is zero
    const bool is_tiny = code == std::errc::result_out_of_range &&
                         std::string_view(at, stop).find('-', 1) != std::string::npos;
    if (stop == at || (stop != end && !is_space(*stop)) || (code != std::errc() && !is_tiny)) return {};
    if (is_tiny) value = 0;
    if (!(std::abs(value) < kLargestForeign) || values.size() == most) return {};
    values.push_back(value);
    at = stop;
  }
  if (values.size() < least) return {};
  return values;
}

Mat3 from_rpy(const Vec3& rpy) {
  return (Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
          Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()))
      .toRotationMatrix();
}

void ForeignReader::use(XmlNode& node, const std::string& became) {
  if (node.note.outcome == Treatment::refused) return;
  node.note.outcome = Treatment::used;
  if (!became.empty()) node.note.reason = became;
}

void ForeignReader::ignore(XmlNode& node, const std::string& why, bool matters) {
  if (node.note.outcome == Treatment::refused) return;
  node.note = {Treatment::ignored, why, matters};
}

void ForeignReader::ignore_attributes(XmlNode& node, std::initializer_list<const char*> names,
                                      const std::string& why, bool matters) {
  for (const char* name : names)
    if (XmlAttribute* a = node.attribute(name)) a->note = {Treatment::ignored, why, matters};
}

void ForeignReader::ignore_children(XmlNode& node, std::initializer_list<const char*> names,
                                    const std::string& why, bool matters) {
  for (XmlNode& c : node.children)
    if (std::ranges::any_of(names, [&](const char* name) { return c.name == name; })) ignore(c, why, matters);
}

void ForeignReader::refuse(XmlNode& node, const std::string& message, const std::string& remedy) {
  node.note = {Treatment::refused, message, true};
  errors_.push_back({*node.file, node.line, 0, message, remedy});
}

void ForeignReader::refuse(XmlNode& node, XmlAttribute& attribute, const std::string& message,
                           const std::string& remedy) {
  attribute.note = {Treatment::refused, message, true};
  errors_.push_back({*node.file, attribute.line, 0, message, remedy});
}

const std::string* ForeignReader::text(XmlNode& node, const std::string& attribute) {
  XmlAttribute* a = node.attribute(attribute);
  if (a == nullptr) return nullptr;
  if (!a->note.outcome) a->note.outcome = Treatment::used;
  return &a->value;
}

std::optional<std::vector<double>> ForeignReader::numbers(XmlNode& node, const std::string& attribute,
                                                          std::size_t least, std::size_t most) {
  const std::string* value = text(node, attribute);
  if (value == nullptr) return {};
  auto found = parse_numbers(*value, least, most);
  // told once, however often it is asked for
  if (!found && node.attribute(attribute)->note.outcome != Treatment::refused)
    refuse(node, *node.attribute(attribute),
           fmt::format("{}: {}=\"{}\" is not {}", xml_label(node), attribute, shown(*value),
                       how_many(least, most)),
           "write finite numbers with spaces between them");
  return found;
}

std::optional<double> ForeignReader::number(XmlNode& node, const std::string& attribute) {
  const auto found = numbers(node, attribute, 1, 1);
  return found ? std::optional<double>(found->front()) : std::nullopt;
}

double ForeignReader::number(XmlNode& node, const std::string& attribute, double otherwise) {
  return number(node, attribute).value_or(otherwise);
}

std::optional<Vec3> ForeignReader::vector(XmlNode& node, const std::string& attribute) {
  const auto found = numbers(node, attribute, 3, 3);
  if (!found) return {};
  return Vec3((*found)[0], (*found)[1], (*found)[2]);
}

Vec3 ForeignReader::vector(XmlNode& node, const std::string& attribute, const Vec3& otherwise) {
  return vector(node, attribute).value_or(otherwise);
}

Vec3 ForeignReader::direction(XmlNode& node, const std::string& attribute, const Vec3& otherwise) {
  const Vec3 found = vector(node, attribute, otherwise);
  // below this no direction is left of it
  if (found.norm() > 1e-12) return found.stableNormalized();
  refuse(node, *node.attribute(attribute), fmt::format("{}: {} is zero", xml_label(node), attribute),
         "give a direction");
  return otherwise;
}

std::optional<std::vector<double>> ForeignReader::own_numbers(XmlNode& node, std::size_t least,
                                                              std::size_t most) {
  use(node);
  auto found = parse_numbers(node.text, least, most);
  if (!found)
    refuse(node, fmt::format("<{}>: \"{}\" is not {}", node.name, shown(node.text), how_many(least, most)),
           "write finite numbers with spaces between them");
  return found;
}

}  // namespace trammel::model
