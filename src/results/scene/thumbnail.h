// Thumbnail: a mechanism as a small picture in SVG, as it stands at the start.
//
// Colours are the page's own: strokes have classes ("body b0" … "body b7", "ground", "joint", "spring") that
// its style sheet names.
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel::results {

// Empty for a model in coordinates of its own, which has nothing to draw.
std::string thumbnail_svg(const Mechanism& mechanism);

}  // namespace trammel::results
