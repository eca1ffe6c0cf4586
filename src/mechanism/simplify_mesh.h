// A coarser surface for the picture: vertices in the same cell of a grid become one, at their mean, and what
// is then no triangle is left out (vertex clustering; Rossignac & Borrel 1993).
#pragma once

#include <cstddef>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

// At most this many triangles; the grid is as fine as a few trials find it.
SurfaceMesh simplified(const SurfaceMesh& mesh, std::size_t most_triangles);

}  // namespace trammel::mechanism
