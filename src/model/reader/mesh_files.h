// Surfaces of triangles from files: STL, as text and binary, OBJ, and COLLADA.
#pragma once

#include <string>
#include <variant>

#include "trammel/mechanism.h"

namespace trammel::model {

struct MeshError {
  std::string message, remedy;
};

// In units of the file, of COLLADA in metres, with one vertex for each place. What kind of file it is its
// contents tell.
std::variant<SurfaceMesh, MeshError> read_mesh(const std::string& path);
std::variant<SurfaceMesh, MeshError> parse_mesh(const std::string& bytes);

}  // namespace trammel::model
