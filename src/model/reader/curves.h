// A point on a curve: {point-on-curve: P, through: [[x, y], …], closed: true, of: cam}.
#pragma once

#include "model/reader/fields.h"

namespace trammel::model {

void read_point_on_curve(ModelContext& context, const Fields& fields, const YamlNode& point, Joint& joint);

}  // namespace trammel::model
