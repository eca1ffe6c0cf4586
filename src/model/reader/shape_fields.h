// The keys of a shape: which it is, its sizes, its place. Of what fills a mass and of what is drawn alike.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "mechanism/shapes.h"
#include "model/reader/context.h"
#include "model/reader/fields.h"

namespace trammel::model {

// The keys that only something with a shape has.
inline constexpr const char* kShapeKeys[] = {"size", "radius",    "length", "radii", "from",
                                             "to",   "width",     "file",   "scale", "center",
                                             "axis", "thickness", "density"};

class ShapeFields {
 public:
  // may_be_thin: in the plane, thickness may be left out.
  ShapeFields(ModelContext& context, const Fields& fields, bool may_be_thin)
      : context_(context), fields_(fields), is_thin_(may_be_thin && context.mechanism.is_planar) {}

  // Null after an error.
  std::optional<Shape> read();

  // A number above zero; an error if it is not.
  double positive(const char* key, const char* unit) const;

 private:
  const mechanism::ShapeInfo* read_kind() const;
  void read_sizes(Shape& shape) const;
  void read_lengths(const char* key, bool may_be_two, Shape& shape) const;
  void read_bar(Shape& shape) const;
  void read_place(const mechanism::ShapeInfo& info, Shape& shape) const;
  void read_file(Shape& shape) const;

  ModelContext& context_;
  const Fields& fields_;
  bool is_thin_;
};

// Where a file that the model names is: beside the model, or where the program runs.
std::filesystem::path found_file(const ModelContext& context, const std::string& name);

}  // namespace trammel::model
