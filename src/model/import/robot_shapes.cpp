// `drawn:` of the model: the shapes of a body and of the parts that are fixed to it, in its axes.
#include "mechanism/shapes.h"
#include "model/import/robot_text.h"

namespace trammel::model {
namespace {

Value drawn_value(const DrawnShape& drawn, const Frame& place) {
  const Shape& shape = drawn.shape;
  const mechanism::ShapeInfo& info = mechanism::about(shape.kind);
  Map map{{"shape", info.name}};
  if (info.has("size")) map.set("size", shape.size);
  if (info.has("radii")) map.set("radii", shape.size);
  if (info.has("radius")) map.set("radius", shape.size.x());
  if (info.has("length")) map.set("length", shape.size.y());
  if (info.has("file")) map.set("file", shape.file);
  if (info.has("file") && !shape.scale.isOnes(0)) map.set("scale", shape.scale);
  if (place.at.norm() > 1e-15) map.set("center", tidy(place.at));
  if (!place.axes.isIdentity(1e-15) && shape.kind != Shape::Kind::sphere) {
    const Eigen::Quaterniond q(place.axes);
    map.set("orientation", Map{{"quaternion", {tidy(q.w()), tidy(q.x()), tidy(q.y()), tidy(q.z())}}});
  }
  if (const auto& c = drawn.colour) {
    if (c->opacity == 1)
      map.set("colour", {c->red, c->green, c->blue});
    else
      map.set("colour", {c->red, c->green, c->blue, c->opacity});
  }
  return map;
}

}  // namespace

std::vector<Value> drawn_values(const Robot& robot, int body) {
  std::vector<Value> values;
  const Frame to_body = inverse(robot.body(body).placement);
  for (const RobotShape& shape : robot.shapes)
    if (robot.whole(shape.body) == body)
      values.push_back(drawn_value(shape.drawn, to_body * shape.drawn.shape.place));
  return values;
}

}  // namespace trammel::model
