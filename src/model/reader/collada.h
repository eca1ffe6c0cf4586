// Surfaces from COLLADA files (.dae): the triangles of all geometries that the scene shows, moved by its
// nodes, in metres. Materials and `up_axis` are left aside, as robot files expect it.
// https://www.khronos.org/files/collada_spec_1_4.pdf
#pragma once

#include <string>
#include <variant>

#include "model/reader/mesh_files.h"

namespace trammel::model {

std::variant<SurfaceMesh, MeshError> parse_collada(const std::string& text);

}  // namespace trammel::model
