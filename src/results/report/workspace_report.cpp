// What 'trammel solve workspace' tells.
#include <fmt/format.h>

#include <cmath>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/analysis_record.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

// Of points in the plot: more make the page slow, and show no more.
constexpr std::size_t kMostDrawn = 6000;

constexpr const char* kNotCovered =
    "So many positions do not cover everything that can be reached, so that the area is not known: raise "
    "--samples or --spacing, or give `stops` to joints that can go on without end.\n";

constexpr const char* kInterrupted =
    "The search was interrupted: these are the positions found until then, and the area is not known.\n";

// Why there is no area; empty: all is covered.
std::string not_covered(const Workspace& found) {
  return found.covered ? "" : found.interrupted ? kInterrupted : kNotCovered;
}

Json place_json(const Vec3& at, bool planar) {
  Json place = {at.x(), at.y()};
  if (!planar) place.push_back(at.z());
  return place;
}

// Of samples, and of the boundary where there is one.
struct Box {
  Vec3 low = Vec3::Constant(INFINITY), high = Vec3::Constant(-INFINITY);
};
Box box_of(const Workspace& found) {
  Box box;
  const auto see = [&](const Vec3& at) {
    box.low = box.low.cwiseMin(at);
    box.high = box.high.cwiseMax(at);
  };
  for (const Workspace::Place& one : found.points) see(one.at);
  for (const std::vector<Vec3>& loop : found.boundary)
    for (const Vec3& at : loop) see(at);
  return box;
}

std::string area_text(const Workspace& found) {
  return fmt::format("{:.6g} m² ± {:.1g} m²", *found.area, found.area_error);
}

std::string workspace_text(const Mechanism& mechanism, const Workspace& found) {
  std::string text = fmt::format(
      "Point {}\n{} over {}, in {}\n", found.point,
      plural(static_cast<long>(found.points.size()), "position"), plural(found.freedoms, "freedom"),
      found.branches == 1 ? "one connected part"
                          : fmt::format("{} parts that no motion connects", found.branches));
  const Box box = box_of(found);
  for (int axis = 0; axis < (mechanism.is_planar ? 2 : 3); ++axis)
    text += fmt::format("{} from {:.4g} to {:.4g} m{}\n", "xyz"[axis], box.low[axis], box.high[axis],
                        found.boundary.empty() ? ", of the samples" : "");
  if (found.area && !found.boundary.empty())
    text += fmt::format(
        "Area {}, within {}; {} of its points are exact, {} known to {:.2g} m only\n", area_text(found),
        found.boundary.size() == 1 ? "1 boundary" : fmt::format("{} boundaries", found.boundary.size()),
        found.refined, found.rough, found.grid);
  return text + not_covered(found);
}

// Seen along z, and in space along y too.
std::string workspace_plot(const Workspace& found, int horizontal, int vertical) {
  const char* axes = "xyz";
  Plot plot{fmt::format("Places that {} reaches", found.point),
            {fmt::format("{} [m]", axes[horizontal])},
            {fmt::format("{} [m]", axes[vertical])},
            {},
            {}};
  plot.equal = true;
  const std::size_t every = found.points.size() / kMostDrawn + 1;
  for (int part = 0; part < found.branches; ++part) {
    PlotCurve places{found.branches == 1 ? found.point : fmt::format("{}, part {}", found.point, part + 1),
                     {},
                     true,
                     false,
                     static_cast<std::size_t>(part),
                     0};
    places.small_markers = true;
    for (std::size_t k = 0; k < found.points.size(); k += every)
      if (found.points[k].branch == part)
        places.points.push_back({found.points[k].at[horizontal], found.points[k].at[vertical], ""});
    if (!places.points.empty()) plot.curves.push_back(std::move(places));
  }
  for (std::size_t k = 0; k < found.boundary.size(); ++k) {
    PlotCurve loop{k == 0 ? "boundary" : "", {}, false, true, 3, 0};
    for (const Vec3& at : found.boundary[k]) loop.points.push_back({at[horizontal], at[vertical], ""});
    loop.points.push_back(loop.points.front());
    plot.curves.push_back(std::move(loop));
  }
  return svg(plot);
}

Trajectory points_table(const Mechanism& mechanism, const Workspace& found) {
  Trajectory table;
  table.channels = {{"", "position", "", "", "position"}};
  const std::string group = "points/" + found.point;
  for (int axis = 0; axis < (mechanism.is_planar ? 2 : 3); ++axis)
    table.channels.push_back({group, "position", std::string(1, "xyz"[axis]), "m",
                              fmt::format("{}.{}", found.point, "xyz"[axis])});
  table.channels.push_back({group, "branch", "", "", found.point + ".branch"});
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    table.values.push_back(static_cast<double>(k + 1));
    for (int axis = 0; axis < (mechanism.is_planar ? 2 : 3); ++axis)
      table.values.push_back(found.points[k].at[axis]);
    table.values.push_back(found.points[k].branch);
  }
  return table;
}

Trajectory boundary_table(const Workspace& found) {
  Trajectory table;
  table.channels = {
      {"", "loop", "", "", "loop"}, {"", "position", "x", "m", "x"}, {"", "position", "y", "m", "y"}};
  for (std::size_t k = 0; k < found.boundary.size(); ++k)
    for (const Vec3& at : found.boundary[k])
      table.values.insert(table.values.end(), {static_cast<double>(k + 1), at.x(), at.y()});
  return table;
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Workspace& found) {
  AnalysisRecord record;
  record.beside.analysis = "workspace";
  record.title = fmt::format("Workspace of {}: point {}", mechanism.name, found.point);
  record.text = workspace_text(mechanism, found);
  Json points = Json::array(), branches = Json::array(), boundary = Json::array();
  for (const Workspace::Place& one : found.points) {
    points.push_back(place_json(one.at, mechanism.is_planar));
    branches.push_back(one.branch);
  }
  for (const std::vector<Vec3>& loop : found.boundary) {
    Json places = Json::array();
    for (const Vec3& at : loop) places.push_back(place_json(at, mechanism.is_planar));
    boundary.push_back(std::move(places));
  }
  record.tables = {
      {"points", std::move(points)}, {"branches", std::move(branches)}, {"boundary", std::move(boundary)}};
  record.summary = {{"point", found.point},
                    {"area", found.area ? Json(*found.area) : Json()},
                    {"area_error", found.area ? Json(found.area_error) : Json()},
                    {"branch_count", found.branches},
                    {"freedoms", found.freedoms},
                    {"spacing", found.spacing},
                    {"covered", found.covered},
                    {"interrupted", found.interrupted},
                    {"refined", found.refined},
                    {"rough", found.rough},
                    {"grid", found.grid}};
  record.table = points_table(mechanism, found);
  if (!found.boundary.empty()) record.beside.tables.push_back({"boundary", boundary_table(found)});
  const Box box = box_of(found);
  for (int axis = 0; axis < (mechanism.is_planar ? 2 : 3); ++axis)
    record.figures.push_back({fmt::format("Reach in {}", "xyz"[axis]),
                              fmt::format("{:.4g} to {:.4g} m", box.low[axis], box.high[axis]),
                              found.boundary.empty() ? "of the samples" : ""});
  if (found.area && !found.boundary.empty())
    record.figures.push_back({"Area", fmt::format("{:.5g} m²", *found.area),
                              fmt::format("± {:.1g} m², estimated", found.area_error)});
  record.figures.push_back(
      {"Positions", std::to_string(found.points.size()),
       fmt::format("{}, {}", plural(found.freedoms, "freedom"), plural(found.branches, "connected part"))});
  record.plots = "<h2>Places that " + escaped(found.point) + " reaches</h2>\n" + workspace_plot(found, 0, 1);
  if (!mechanism.is_planar) record.plots += workspace_plot(found, 0, 2);
  if (!found.covered) record.plots += "<p>" + escaped(not_covered(found)) + "</p>\n";
  return record;
}

}  // namespace trammel::results
