// Edits of a live run that draw: changes of its text, and points that are dragged while it is paused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "live/kinematic_drag.h"
#include "live/live_run.h"
#include "live/text_edits.h"
#include "model/writer/model_writer.h"
#include "trammel/model.h"

namespace trammel::live {
namespace {

// Of the mechanism's size: places are written to so many digits where assembly makes them exact.
constexpr double kWritten = 1e-6;

double rounded(double x, double unit) { return std::round(x / unit) * unit; }

// A decimal number near x, as a person would write it.
double decimal(double x, double size) {
  const double unit = std::pow(10, std::floor(std::log10(kWritten * size)));
  const double value = rounded(x, unit);
  return std::stod(fmt::format("{:.12g}", value == 0 ? 0 : value));
}

double size_of(const Mechanism& m) {
  double size = 0;
  for (const Body& body : m.bodies) size = std::max({size, body.length, body.placement.at.norm()});
  for (const Point& point : m.points) size = std::max(size, point.at.norm());
  return size > 0 ? size : 1;
}

// What was met exactly at the start belongs to where the bodies were.
Mechanism dragged_model(const Mechanism& model, const Simulation& simulation) {
  Mechanism placed = placed_as(model, simulation);
  for (Body& body : placed.bodies) body.held_angle.reset();
  for (Joint& joint : placed.joints) joint.held.reset();
  return placed;
}

Mechanism with_round_places(Mechanism m) {
  const double size = size_of(m);
  const auto round = [&](Vec3& at) {
    for (double& x : at) x = decimal(x, size);
  };
  for (Point& point : m.points)
    if (!std::ranges::any_of(point.on, [](const Marker& k) { return k.body == kGround; })) round(point.at);
  for (Body& body : m.bodies) {
    if (body.kind != Body::Kind::rigid) continue;
    round(body.placement.at);
    if (m.is_planar) body.angle = decimal(body.angle, 1);
  }
  return m;
}

}  // namespace

const ModelTexts::Text& LiveRun::text() const { return texts_.of(model_); }

bool LiveRun::at_start() const { return steps_ == past_.branch().begin() && simulation_->state().t == 0; }

void LiveRun::edit_text(const Json& edit, EditReply& reply) {
  const std::string next = edited_text(edit, text().text, source_.path);
  auto model = std::make_shared<const Mechanism>(read_live_text(next, source_.path));
  texts_.read(model, next);
  change_model(here(describe_edit(edit)), model, reply);
}

// At the start the new model begins anew; later it goes on from the motion.
void LiveRun::change_model(Version before, const std::shared_ptr<const Mechanism>& model, EditReply& reply) {
  if (at_start()) return take_edit(std::move(before), from_start(model));
  std::vector<Pull> pulls = pulls_;
  std::erase_if(pulls, [&](const Pull& p) { return model->body(p.body) == nullptr; });
  take_edit(std::move(before), going_on_with(model, std::move(pulls), reply));
}

void LiveRun::drag(const Json& edit) {
  const JsonFields fields(edit, "drag", {"do", "body", "at", "target"});
  const std::string body = fields.text("body");
  if (model_->body(body) == nullptr) throw std::invalid_argument(fmt::format("there is no body '{}'", body));
  const system::Place point{body, true, fields.vector("at")};
  const State next =
      live::drag(simulation_->system(), simulation_->state(), point, fields.vector("target")).state;
  if (!dragged_) dragged_ = here("drag");
  simulation_->restore(next);
}

// Another edit, before the point was let go, finds the run as it was.
void LiveRun::forget_drag() {
  if (!dragged_) return;
  simulation_->restore(dragged_->moment->state);
  dragged_.reset();
}

// What was dragged at the start begins there from now on; later only the motion is another.
void LiveRun::end_drag(const Json& edit, EditReply& reply) {
  const JsonFields fields(edit, "end-drag", {"do"});
  if (!dragged_) throw std::invalid_argument("nothing is dragged");
  Version before = std::move(*dragged_);
  dragged_.reset();
  if (!at_start()) return take(going_on_with(model_, pulls_, reply), stacks_, "drag");
  const Mechanism placed = dragged_model(*model_, *simulation_);
  // A text that takes lengths from its points needs all their digits.
  auto model = std::make_shared<const Mechanism>(with_round_places(placed));
  texts_.made(model, model_);
  if (texts_.of(model).anew) {
    model = std::make_shared<const Mechanism>(placed);
    texts_.made(model, model_);
  }
  change_model(std::move(before), model, reply);
}

}  // namespace trammel::live
