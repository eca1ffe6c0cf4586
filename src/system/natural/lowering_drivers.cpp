// Drivers and a person's own constraints as rows.
#include <fmt/format.h>

#include <stdexcept>

#include "system/natural/lowering.h"

namespace trammel {

template <int D>
void Lowering<D>::driver_rows() {
  for (const Driver& driver : mechanism_.drivers) {
    const int reaction = static_cast<int>(parts_.reactions.size());
    ReactionPlace place{driver.name, {}};
    const auto follow = [&](int measure, const std::string& text, double scale) {
      if (driver.kind != Driver::Kind::position) set_effort(reaction, measure);
      const Expression f = expression(text);
      for (int slot : f.slots())
        if (slot != 0)
          throw std::invalid_argument(
              fmt::format("driver '{}' follows '{}', but a driver may depend on time t and parameters only",
                          driver.name, text));
      if (driver.of_speed)
        add_rate_sum(reaction, {{measure, {Expression::constant(1), {}}}}, text, scale);
      else
        add_coupled(reaction, {{measure, 1}}, f, scale);
    };
    switch (driver.kind) {
      case Driver::Kind::joint: {
        const Joint& joint = *mechanism_.joint(driver.of);
        for (const Marker& m : joint.markers) place.sides.push_back({body(m), m.frame.at});
        place.axes_body = body(joint.markers.at(1));
        place.axes = joint.markers[1].frame.axes;
        parts_.reactions.push_back(place);
        const int k = only_measure(driver.of);
        const bool angle = parts_.measures[static_cast<std::size_t>(k)].kind() == MeasureKind::angle;
        follow(k, driver.equals.at(0), angle ? 1 : length_scale_);
        break;
      }
      case Driver::Kind::body_angle: {
        const Body& source = *mechanism_.body(driver.of);
        place.sides.push_back({parts_.basis.body_index(driver.of), source.com});
        parts_.reactions.push_back(place);
        follow(signal_measure({Signal::Kind::body_angle, false, driver.of, {}, 0}), driver.equals.at(0), 1);
        break;
      }
      case Driver::Kind::distance: {
        for (const Marker& m : driver.markers) place.sides.push_back({body(m), m.frame.at});
        place.line = {place.sides.at(1), place.sides[0]};
        parts_.reactions.push_back(place);
        const int k = measure(driver.name + ".length", MeasureKind::distance,
                              {gap(driver.markers.at(1), driver.markers.at(0))});
        follow(k, driver.equals.at(0), length_scale_);
        break;
      }
      case Driver::Kind::position: {
        place.sides.push_back({body(driver.markers.at(0)), driver.markers[0].frame.at});
        parts_.reactions.push_back(place);
        for (int axis = 0; axis < D; ++axis)
          if (!driver.equals.at(static_cast<std::size_t>(axis)).empty())
            follow(signal_measure({Signal::Kind::coordinate, false, "", driver.markers[0], axis}),
                   driver.equals[static_cast<std::size_t>(axis)], length_scale_);
        break;
      }
    }
  }
  for (const CustomConstraint& custom : mechanism_.constraints) {
    ReactionPlace place{custom.name, {}};
    std::vector<Material<D>> points;
    for (const UserPoint& p : custom.law->points()) {
      const int b = parts_.basis.body_index(p.body);
      points.push_back(parts_.basis.material(b, true, p.at));
      place.sides.push_back({b, p.at});
    }
    const int reaction = static_cast<int>(parts_.reactions.size());
    parts_.reactions.push_back(place);
    pool<UserRow<D>>().emplace_back(custom.law, std::move(points), parts_.basis.free_elements());
    RowOwner row{RowOwner::Kind::user, custom.name, custom.law->scale(), {custom.name}};
    made<UserRow<D>>(row, {reaction});
  }
}

template class Lowering<2>;
template class Lowering<3>;

}  // namespace trammel
