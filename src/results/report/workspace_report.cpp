#include "results/report/workspace_report.h"

#include <fmt/format.h>

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const Vec3& at, bool planar) {
  Json place = {at.x(), at.y()};
  if (!planar) place.push_back(at.z());
  return place;
}

bool has_area(const Mechanism& mechanism, const analysis::Workspace& found) {
  return mechanism.is_planar && found.freedoms > 1;
}

}  // namespace

Json workspace_json(const Mechanism& mechanism, const analysis::Workspace& found) {
  Json points = Json::array(), branches = Json::array(), boundary = Json::array();
  for (const analysis::Workspace::Place& one : found.points) {
    points.push_back(place_json(one.at, mechanism.is_planar));
    branches.push_back(one.branch);
  }
  for (const std::vector<Vec3>& loop : found.boundary.loops) {
    Json places = Json::array();
    for (const Vec3& at : loop) places.push_back(place_json(at, mechanism.is_planar));
    boundary.push_back(std::move(places));
  }
  const bool area = has_area(mechanism, found);
  return {{"points", std::move(points)},
          {"area", area                  ? Json(found.boundary.area)
                   : mechanism.is_planar ? Json(0.0)
                                         : Json()},
          {"branches", std::move(branches)},
          {"branch_count", found.branches},
          {"boundary", std::move(boundary)},
          {"freedoms", found.freedoms},
          {"spacing", found.spacing},
          {"covered", found.covered},
          {"refined", found.boundary.refined},
          {"rough", found.boundary.rough},
          {"grid", found.boundary.grid}};
}

std::string workspace_text(const Mechanism& mechanism, const analysis::Workspace& found) {
  std::string text =
      fmt::format("{} positions over {} freedoms, in {} part{} that no motion connects\n",
                  found.points.size(), found.freedoms, found.branches, found.branches == 1 ? "" : "s");
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (const analysis::Workspace::Place& one : found.points) {
    low = low.cwiseMin(one.at);
    high = high.cwiseMax(one.at);
  }
  for (int axis = 0; axis < (mechanism.is_planar ? 2 : 3); ++axis)
    text += fmt::format("{} from {:.6g} to {:.6g} m\n", "xyz"[axis], low[axis], high[axis]);
  if (has_area(mechanism, found))
    text += fmt::format(
        "Area {:.6g} m², within {} boundar{}; {} of its points are exact, {} known to {:.2g} m only\n",
        found.boundary.area, found.boundary.loops.size(), found.boundary.loops.size() == 1 ? "y" : "ies",
        found.boundary.refined, found.boundary.rough, found.boundary.grid);
  if (!found.covered)
    text += "So many positions do not cover everything that can be reached: raise --samples, or --spacing.\n";
  return text;
}

}  // namespace trammel::results
