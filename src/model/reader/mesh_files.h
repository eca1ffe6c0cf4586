// Surfaces of triangles from files: STL, as text and binary, and OBJ.
#pragma once

#include <string>
#include <variant>

#include "trammel/mechanism.h"

namespace trammel::model {

struct MeshError {
  std::string message, remedy;
};

// Vertices that are nearly in one place become one, or stay as they are.
enum class Vertices { united, as_in_file };

// In units of the file. What kind of file it is its contents tell.
std::variant<SurfaceMesh, MeshError> read_mesh(const std::string& path, Vertices vertices = Vertices::united);
std::variant<SurfaceMesh, MeshError> parse_mesh(const std::string& bytes, Vertices vertices = Vertices::united);

}  // namespace trammel::model
