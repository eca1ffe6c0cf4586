// `drawn:` and `colour:`: what bodies and ground look like, without influence on the motion.
#pragma once

#include <optional>
#include <string>

#include "model/reader/context.h"

namespace trammel::model {

// A name, "#rrggbb", "#rrggbbaa", or three or four parts of one.
std::optional<Colour> read_colour(ModelContext& context, const YamlNode& node);
// `drawn:` and `colour:` of a body.
void read_looks(ModelContext& context, const YamlNode& body_keys, Body& body);
// `ground:`
void read_ground(ModelContext& context, const YamlNode& root);

// Which meshes have no file; empty: none.
std::string missing_meshes(const Mechanism& mechanism);

}  // namespace trammel::model
