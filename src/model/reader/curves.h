// A point on a curve: {point-on-curve: P, through: [[x, y], …], closed: true, of: cam}. A cam:
// {cam: shaft, through: [[x, y], …], follower: valve.roller, radius: 10 mm}.
#pragma once

#include "model/reader/fields.h"

namespace trammel::model {

void read_point_on_curve(ModelContext& context, const Fields& fields, const YamlNode& point, Joint& joint);
void read_cam(ModelContext& context, const Fields& fields, const YamlNode& body, Joint& joint);

}  // namespace trammel::model
