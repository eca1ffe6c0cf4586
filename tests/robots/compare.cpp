// Robots as Trammel imports them, beside what another program says of the same files.
//
//   robot_compare NUMBERS.json [--bare]
//
// NUMBERS.json is that of mujoco.mjs or dart.cpp. At each of its states the imported mechanism, in relative
// coordinates, is placed as the other program has it, and three things are compared in the other program's
// velocities u:
//
//   M = Bᵀ M' B with v = B u,      accelerations u̇,      forces M u̇
//
// Each error is the largest difference, relative to what it can be at most: of M_ij to √(M_ii M_jj), of a
// force f_i to √(M_ii u̇ᵀM u̇), of an acceleration to the largest. --bare: gravity and inertia alone.
// Constraints are left out of the motion; loops.h compares them.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "loops.h"
#include "mechanism/joint_kinds.h"
#include "model/import/model_names.h"
#include "system/system.h"
#include "trammel/import.h"
#include "trammel/simulation.h"

namespace trammel::robots {
namespace {

using Json = nlohmann::json;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Vec3 vec3(const Json& all, std::size_t i) {
  return {all[3 * i].get<double>(), all[3 * i + 1].get<double>(), all[3 * i + 2].get<double>()};
}
Mat3 mat3(const Json& all, std::size_t i) {
  Mat3 m;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m(r, c) = all[9 * i + static_cast<std::size_t>(3 * r + c)].get<double>();
  return m;
}
VectorXd vector_of(const Json& all) {
  const auto values = all.get<std::vector<double>>();
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

struct Errors {
  double mass = 0, force = 0, acceleration = 0, residual = 0, jacobian = 0;
  double worst() const { return std::max({mass, force, acceleration, residual, jacobian}); }
  void see(const Errors& other) {
    mass = std::max(mass, other.mass);
    force = std::max(force, other.force);
    acceleration = std::max(acceleration, other.acceleration);
    residual = std::max(residual, other.residual);
    jacobian = std::max(jacobian, other.jacobian);
  }
};

class Comparison {
 public:
  Comparison(const Json& other, const Mechanism& mechanism)
      : other_(other),
        mechanism_(mechanism),
        simulation_(mechanism, mechanism.plan),
        nv_(other.at("nv").get<Eigen::Index>()) {
    if (const AssemblyReport report = simulation_.assemble(); !report.report.accepted())
      throw std::runtime_error("cannot be assembled: " + report.report.message);
    start_ = simulation_.state();
    if (static_cast<Eigen::Index>(start_.v.size()) != nv_)
      throw std::runtime_error(fmt::format("{} velocities, the other has {}", start_.v.size(), nv_));
    find_bodies();
    find_coordinates();
  }

  Errors compare(const Json& at) {
    place(at);
    MatrixXd B(nv_, nv_);
    for (Eigen::Index j = 0; j < nv_; ++j) B.col(j) = velocity(at, VectorXd::Unit(nv_, j));
    const VectorXd u = vector_of(at.at("qvel"));
    const VectorXd v = B * u;
    state_.v.assign(v.data(), v.data() + v.size());
    const MatrixXd mass = B.transpose() * mass_matrix() * B;
    const VectorXd found = accelerations(at, B, u);
    return judge(at, mass, found);
  }

  // Of all bodies, as they stand since compare(), and with the velocities of each unit vector of u.
  std::vector<Pose> poses() const { return poses_with(VectorXd::Zero(nv_)); }
  std::vector<std::vector<Pose>> moving(const Json& at) {
    std::vector<std::vector<Pose>> all;
    for (Eigen::Index j = 0; j < nv_; ++j) all.push_back(poses_with(velocity(at, VectorXd::Unit(nv_, j))));
    return all;
  }

 private:
  std::vector<Pose> poses_with(const VectorXd& v) const {
    State state = state_;
    state.v.assign(v.data(), v.data() + v.size());
    return simulation_.system().poses(state);
  }

  Errors judge(const Json& at, const MatrixXd& mass, const VectorXd& found) const {
    const VectorXd flat = vector_of(at.at("mass"));
    const MatrixXd expected = Eigen::Map<const MatrixXd>(flat.data(), nv_, nv_);
    const VectorXd expected_acceleration = vector_of(at.at("qacc")),
                   expected_force = vector_of(at.at("force"));
    const VectorXd force = mass * found;
    const double energy = expected_acceleration.dot(expected * expected_acceleration);
    Errors e;
    for (Eigen::Index i = 0; i < nv_; ++i)
      for (Eigen::Index j = 0; j < nv_; ++j)
        e.mass = std::max(e.mass,
                          std::abs(mass(i, j) - expected(i, j)) / std::sqrt(expected(i, i) * expected(j, j)));
    for (Eigen::Index i = 0; i < nv_; ++i)
      e.force =
          std::max(e.force, std::abs(force[i] - expected_force[i]) / std::sqrt(expected(i, i) * energy));
    e.acceleration =
        (found - expected_acceleration).cwiseAbs().maxCoeff() / expected_acceleration.cwiseAbs().maxCoeff();
    return e;
  }

  // By name; of bodies that are one, by any of them.
  void find_bodies() {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 1; i < other_["bodies"].size(); ++i)
      index.emplace(model::as_identifier(other_["bodies"][i].get<std::string>()), i);
    for (const Body& body : mechanism_.bodies) {
      const auto found = index.find(body.name);
      body_.push_back(found == index.end() ? 0 : found->second);
    }
  }

  // The other's hinges and slides, in the order of the file, as those here.
  void find_coordinates() {
    const auto names = simulation_.system().coordinate_names();
    std::size_t k = 0;
    for (const Json& joint : other_["joints"]) {
      if (joint["type"] == "free") continue;
      const std::string name = joint_name(joint, k++);
      if (joint["type"] == "ball") continue;
      const std::string wanted = name + (joint["type"] == "hinge" ? ".angle" : ".displacement");
      const auto column = std::find(names.begin(), names.end(), wanted) - names.begin();
      if (column == static_cast<std::ptrdiff_t>(names.size()))
        throw std::runtime_error("no coordinate " + wanted);
      coordinates_.push_back({static_cast<std::size_t>(column), position_of(column),
                              joint["q"].get<std::size_t>(), joint["v"].get<std::size_t>(),
                              sense_of(column, *mechanism_.joint(name), joint["type"] == "hinge")});
    }
  }

  // By its name, else by its place in the file.
  std::string joint_name(const Json& joint, std::size_t k) const {
    if (joint["name"].is_string())
      if (const std::string name = model::as_identifier(joint["name"].get<std::string>());
          mechanism_.joint(name) != nullptr)
        return name;
    return mechanism_.joints.at(k).name;
  }

  // 1, or −1 where the tree here leads through the joint from its child to its parent.
  double sense_of(std::ptrdiff_t column, const Joint& joint, bool turns) const {
    State moved = start_;
    std::fill(moved.v.begin(), moved.v.end(), 0.0);
    moved.v[static_cast<std::size_t>(column)] = 1;
    const std::vector<Pose> poses = simulation_.system().poses(moved);
    Vec3 rate = Vec3::Zero(), axis = Vec3::Zero();
    for (std::size_t side = 0; side < 2; ++side) {
      const Marker& marker = joint.markers[side];
      const auto body = std::ranges::find(mechanism_.bodies, marker.body, &Body::name);
      if (body == mechanism_.bodies.end()) continue;
      const Pose& pose = poses[static_cast<std::size_t>(body - mechanism_.bodies.begin())];
      axis = pose.axes * marker.frame.axes.col(2);
      rate += (side == 0 ? 1 : -1) * (turns ? pose.angular_velocity : pose.velocity);
    }
    return rate.dot(axis) < 0 ? -1 : 1;
  }

  // Which position a velocity is the rate of.
  std::size_t position_of(std::ptrdiff_t column) const {
    std::vector<double> v(start_.v.size(), 0.0), rate(start_.q.size());
    v[static_cast<std::size_t>(column)] = 1;
    simulation_.system().position_rate(start_.q, v, rate);
    const auto largest = std::ranges::max_element(rate, {}, [](double x) { return std::abs(x); });
    return static_cast<std::size_t>(largest - rate.begin());
  }

  // Where a body stands: as much moved from its start as in the other program.
  Pose pose_of(std::size_t b, const Json& at) const {
    const Body& body = mechanism_.bodies[b];
    Pose pose;
    pose.axes = body.placement.axes;
    pose.position = body.placement.at + pose.axes * body.com;
    const std::size_t i = body_[b];
    if (i == 0) return pose;
    const Mat3 turn = mat3(at["xmat"], i) * mat3(other_["start"]["xmat"], i).transpose();
    pose.position = vec3(at["xpos"], i) + turn * (pose.position - vec3(other_["start"]["xpos"], i));
    pose.axes = turn * pose.axes;
    return pose;
  }

  void place(const Json& at) {
    poses_.clear();
    for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b) poses_.push_back(pose_of(b, at));
    state_ = start_;
    simulation_.system().place(mechanism_.bodies, poses_, state_);
    for (const Coordinate& c : coordinates_)
      state_.q[c.position] =
          start_.q[c.position] +
          c.sense * (at["qpos"][c.other_q].get<double>() - other_["start"]["qpos"][c.other_q].get<double>());
  }

  // v of the velocities u of the other program.
  VectorXd velocity(const Json& at, const VectorXd& u) {
    std::vector<Pose> poses = poses_;
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const std::size_t i = body_[b];
      if (i == 0) continue;
      poses[b].angular_velocity = jacobian(at, i, 1) * u;
      poses[b].velocity =
          jacobian(at, i, 0) * u + poses[b].angular_velocity.cross(poses[b].position - vec3(at["xpos"], i));
    }
    State moved = state_;
    simulation_.system().place(mechanism_.bodies, poses, moved);
    VectorXd v = Eigen::Map<const VectorXd>(moved.v.data(), nv_);
    for (const Coordinate& c : coordinates_)
      v[static_cast<Eigen::Index>(c.column)] = c.sense * u[static_cast<Eigen::Index>(c.other_v)];
    return v;
  }

  MatrixXd jacobian(const Json& at, std::size_t body, std::size_t part) const {
    const VectorXd flat = vector_of(at["jacobian"][body - 1][part]);
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        flat.data(), 3, nv_);
  }

  MatrixXd mass_matrix() const {
    const system::System& system = simulation_.system();
    system::Terms terms = system.make_terms();
    system.evaluate(state_, system::kAskAll, terms);
    MatrixXd mass(nv_, nv_);
    for (Eigen::Index j = 0; j < nv_; ++j) {
      std::vector<double> x(static_cast<std::size_t>(nv_), 0.0), y(x);
      x[static_cast<std::size_t>(j)] = 1;
      system.add_mass_times(terms, x, 1, y);
      mass.col(j) = Eigen::Map<const VectorXd>(y.data(), nv_);
    }
    return mass;
  }

  // u̇. B is constant but for bodies that float, whose accelerations the columns tell.
  VectorXd accelerations(const Json& at, const MatrixXd& B, const VectorXd& u) {
    simulation_.restore(state_);
    Report report;
    const State solved = simulation_.with_reactions(report);
    if (!report.accepted()) throw std::runtime_error("no accelerations: " + report.message);
    const VectorXd a = Eigen::Map<const VectorXd>(solved.a.data(), nv_);
    VectorXd found = B.fullPivLu().solve(a);
    for (const Coordinate& c : coordinates_)
      found[static_cast<Eigen::Index>(c.other_v)] = c.sense * a[static_cast<Eigen::Index>(c.column)];
    std::size_t k = 0;
    for (const Json& joint : other_["joints"])
      if (joint["type"] == "free") set_free(at, joint, u, k++, found);
    return found;
  }

  // Of the body's origin, in world axes; then ω̇ in the body's axes.
  void set_free(const Json& at, const Json& joint, const VectorXd& u, std::size_t k, VectorXd& found) const {
    const auto i = joint["body"].get<std::size_t>();
    const auto v = joint["v"].get<Eigen::Index>();
    const std::size_t b = static_cast<std::size_t>(std::find(body_.begin(), body_.end(), i) - body_.begin());
    const auto column = [&](const char* what) {
      Vec3 value;
      for (int c = 0; c < 3; ++c)
        value[c] = simulation_.value(fmt::format("free{}_{}_{}", k, what, "xyz"[c]));
      return value;
    };
    const Vec3 a = column("a"), alpha = column("alpha"), omega = jacobian(at, i, 1) * u;
    const Vec3 r = vec3(at["xpos"], i) - poses_[b].position;
    found.segment<3>(v) = a + alpha.cross(r) + omega.cross(omega.cross(r));
    found.segment<3>(v + 3) = mat3(at["xmat"], i).transpose() * alpha;
  }

  struct Coordinate {
    std::size_t column, position, other_q, other_v;
    double sense;  // of the coordinate here, in that of the other
  };
  const Json& other_;
  const Mechanism& mechanism_;
  Simulation simulation_;
  Eigen::Index nv_;
  State start_, state_;
  std::vector<std::size_t> body_;  // of the other program; 0: none
  std::vector<Coordinate> coordinates_;
  std::vector<Pose> poses_;
};

// Without stops and friction.
Mechanism whole_of(const Imported& imported, const Json& other, bool is_bare) {
  std::vector<std::string> settings{"simulate.coordinates=relative"};
  std::size_t k = 0;
  for (const Json& joint : other["joints"]) {
    if (joint["type"] != "free") continue;
    const std::string body =
        model::as_identifier(other["bodies"][joint["body"].get<std::size_t>()].get<std::string>());
    for (const char* what : {"a", "alpha"})
      for (const char c : {'x', 'y', 'z'})
        settings.push_back(fmt::format("outputs.columns.free{}_{}_{}={}.{}.{}", k, what, c, body, what, c));
    ++k;
  }
  const ModelInput input = read_imported(imported, settings, UnreadOptions::allowed);
  if (!input.errors.empty()) throw std::runtime_error(to_string(input.errors.front()));
  Mechanism mechanism = input.mechanism;
  mechanism.stops.clear();
  std::erase_if(mechanism.forces,
                [](const Force& f) { return std::holds_alternative<JointFriction>(f.law); });
  if (is_bare) mechanism.forces.clear();
  return mechanism;
}

// Without joints beyond those of the other's tree.
Mechanism tree_of(Mechanism mechanism, std::size_t joints) {
  if (mechanism.joints.size() > joints) mechanism.joints.resize(joints);
  return mechanism;
}

std::size_t tree_joints(const Json& other) {
  return static_cast<std::size_t>(
      std::ranges::count_if(other["joints"], [](const Json& joint) { return joint["type"] != "free"; }));
}

// What is asked for. Most files agree to 1e-14; light fingers on heavy arms lose some digits.
constexpr double kLimit = 1e-10;

// A line for each file; false: it is beyond the limit.
bool compare_file(const Json& other, bool is_bare) {
  const auto file = other.at("file").get<std::string>();
  ImportOptions options;
  if (other.value("free", false)) options.base = Base::free;
  const Imported imported = import_model(file, options);
  if (!imported.errors.empty()) {
    fmt::print("refused   {}: {}\n", file, to_string(imported.errors.front()));
    return true;
  }
  if (other.contains("error")) {
    fmt::print("unread    {}: {}\n", file, other["error"].get<std::string>());
    return true;
  }
  Errors all;
  const Mechanism whole = whole_of(imported, other, is_bare), tree = tree_of(whole, tree_joints(other));
  Comparison comparison(other, tree);
  std::optional<LoopComparison> loops;
  if (whole.joints.size() > tree.joints.size()) loops.emplace(other, whole, tree.joints.size());
  for (const Json& state : other["states"]) {
    Errors e = comparison.compare(state);
    if (loops) {
      const LoopComparison::Errors closed =
          loops->compare(state, comparison.poses(), comparison.moving(state));
      e.residual = closed.residual;
      e.jacobian = closed.jacobian;
    }
    all.see(e);
  }
  const bool is_equal = all.worst() <= kLimit;
  fmt::print("{} {}: {} velocities, {} states, mass {:.1e}, force {:.1e}, acceleration {:.1e}{}, {} notes\n",
             is_equal ? "equal    " : "DIFFERENT", file, other["nv"].get<int>(), other["states"].size(),
             all.mass, all.force, all.acceleration,
             loops ? fmt::format(", residual {:.1e}, jacobian {:.1e}", all.residual, all.jacobian) : "",
             imported.notes.size());
  return is_equal;
}

int run(int argc, char** argv) {
  const bool is_bare = argc > 2 && argv[2] == std::string("--bare");
  std::ifstream in(argv[1]);
  bool all_equal = true;
  for (const Json& file : Json::parse(in)) {
    try {
      all_equal &= compare_file(file, is_bare);
    } catch (const std::exception& error) {
      fmt::print("FAILED    {}: {}\n", file["file"].get<std::string>(), error.what());
      all_equal = false;
    }
  }
  return all_equal ? 0 : 1;
}

}  // namespace
}  // namespace trammel::robots

int main(int argc, char** argv) { return argc < 2 ? 2 : trammel::robots::run(argc, argv); }
