// What the readers of foreign files share: typed attributes, each marked as it is read, and what is refused.
#pragma once

#include <Eigen/Geometry>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "model/import/xml_tree.h"
#include "trammel/import.h"

namespace trammel::model {

// x_outer = at + axes · x_inner
inline Frame operator*(const Frame& a, const Frame& b) { return {a.at + a.axes * b.at, a.axes * b.axes}; }
inline Frame inverse(const Frame& f) { return {-(f.axes.transpose() * f.at), f.axes.transpose()}; }

// Numbers between spaces; none if one of them is no finite number below 1e150, or there are too few or many.
std::optional<std::vector<double>> parse_numbers(const std::string& text, std::size_t least,
                                                 std::size_t most);

// Fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll).
Mat3 from_rpy(const Vec3& rpy);

class ForeignReader {
 public:
  explicit ForeignReader(ImportOptions options) : options_(std::move(options)) {}

  const ImportOptions& options() const { return options_; }
  std::vector<InputError>& errors() { return errors_; }

  // Marks an element, or one of its attributes, and what happened to it.
  static void use(XmlNode& node, const std::string& became = "");
  static void ignore(XmlNode& node, const std::string& why, bool matters = false);
  static void ignore_attributes(XmlNode& node, std::initializer_list<const char*> names,
                                const std::string& why, bool matters = false);
  // Children of these names, with all they contain.
  static void ignore_children(XmlNode& node, std::initializer_list<const char*> names, const std::string& why,
                              bool matters = false);
  void refuse(XmlNode& node, const std::string& message, const std::string& remedy);
  void refuse(XmlNode& node, XmlAttribute& attribute, const std::string& message, const std::string& remedy);

  // Attributes, marked as used. A text that is no number is refused, and counts as missing.
  static const std::string* text(XmlNode& node, const std::string& attribute);
  std::optional<double> number(XmlNode& node, const std::string& attribute);
  double number(XmlNode& node, const std::string& attribute, double otherwise);
  std::optional<Vec3> vector(XmlNode& node, const std::string& attribute);
  Vec3 vector(XmlNode& node, const std::string& attribute, const Vec3& otherwise);
  std::optional<std::vector<double>> numbers(XmlNode& node, const std::string& attribute, std::size_t least,
                                             std::size_t most);
  // A direction made one long; refused if it is zero.
  Vec3 direction(XmlNode& node, const std::string& attribute, const Vec3& otherwise);

  // The same of an element's own text, as SDF has it: <mass>2</mass>.
  std::optional<std::vector<double>> own_numbers(XmlNode& node, std::size_t least, std::size_t most);

 private:
  ImportOptions options_;
  std::vector<InputError> errors_;
};

}  // namespace trammel::model
