// What DART says of URDF and SDF files, for the tests to compare with: mass matrix, accelerations and the
// motion of bodies at random states, without contact, limits, friction, springs and dampers.
//
//   robot_dart OUT.json STATES [--free] FILE…
//
// --free: the root of a URDF file floats. OUT.json is as that of mujoco.mjs. Velocities of a body that floats
// are those of its origin in world axes, then ω in the body's axes.
#include <dart/dart.hpp>
#include <dart/utils/sdf/sdf.hpp>
#include <dart/utils/urdf/urdf.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace {

using Json = nlohmann::json;
using dart::dynamics::BodyNode;
using dart::dynamics::SkeletonPtr;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

template <class Matrix>
Json flat(const Matrix& m) {
  Json list = Json::array();
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) list.push_back(m(r, c));
  return list;
}

void append(Json& list, const Json& more) {
  for (const Json& x : more) list.push_back(x);
}

bool floats(const SkeletonPtr& robot) {
  return dynamic_cast<dart::dynamics::FreeJoint*>(robot->getRootJoint()) != nullptr;
}

// DART's velocities of u: of a body that floats [ω; v] in its axes.
MatrixXd velocity_map(const SkeletonPtr& robot) {
  const auto n = static_cast<Eigen::Index>(robot->getNumDofs());
  MatrixXd T = MatrixXd::Identity(n, n);
  if (!floats(robot)) return T;
  T.topLeftCorner<6, 6>().setZero();
  T.block<3, 3>(0, 3).setIdentity();
  T.block<3, 3>(3, 0) = robot->getRootBodyNode()->getWorldTransform().linear().transpose();
  return T;
}

void add_poses(const SkeletonPtr& robot, Json& at) {
  // the first is the world
  at["xpos"] = {0, 0, 0};
  at["xmat"] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const BodyNode* body : robot->getBodyNodes()) {
    append(at["xpos"], flat(body->getWorldTransform().translation()));
    append(at["xmat"], flat(body->getWorldTransform().linear()));
  }
}

Json at_random_state(const SkeletonPtr& robot, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  VectorXd q = VectorXd::Zero(static_cast<Eigen::Index>(robot->getNumDofs())), u = q;
  for (double& x : q) x = any(random);
  for (double& x : u) x = any(random);
  robot->setPositions(q);
  const MatrixXd T = velocity_map(robot);
  const VectorXd v = T * u;
  robot->setVelocities(v);
  robot->setForces(VectorXd::Zero(q.size()));
  robot->computeForwardDynamics();
  VectorXd a = robot->getAccelerations();
  VectorXd acceleration = a;
  if (floats(robot)) {
    const Eigen::Matrix3d R = robot->getRootBodyNode()->getWorldTransform().linear();
    const Vector3d omega = v.head<3>(), speed = v.segment<3>(3);
    acceleration.head<3>() = R * (a.segment<3>(3) + omega.cross(speed));
    acceleration.segment<3>(3) = a.head<3>();
  }
  const MatrixXd mass = T.transpose() * robot->getMassMatrix() * T;
  Json jacobians = Json::array();
  for (const BodyNode* body : robot->getBodyNodes())
    jacobians.push_back({flat(MatrixXd(robot->getLinearJacobian(body) * T)),
                         flat(MatrixXd(robot->getAngularJacobian(body) * T))});
  Json at = {{"qpos", flat(q)},
             {"qvel", flat(u)},
             {"jacobian", jacobians},
             {"mass", flat(mass)},
             {"qacc", flat(acceleration)},
             {"force", flat(VectorXd(mass * acceleration))}};
  add_poses(robot, at);
  return at;
}

SkeletonPtr read(const std::string& file, bool is_free) {
  if (file.ends_with(".sdf")) return dart::utils::SdfParser::readSkeleton("file://" + file);
  using Loader = dart::utils::DartLoader;
  // a link without mass has none
  const dart::dynamics::Inertia none(0, Vector3d::Zero(), Eigen::Matrix3d::Zero());
  Loader loader(Loader::Options(
      nullptr, is_free ? Loader::RootJointType::FLOATING : Loader::RootJointType::FIXED, none));
  // A package is the folder of the file: its meshes are not needed.
  const std::string folder = std::filesystem::path(file).parent_path().string();
  for (const char* package : {"drchubo", "atlas_description", "herb_description"})
    loader.addPackageDirectory(package, folder);
  return loader.parseSkeleton("file://" + file);
}

void leave_bare(const SkeletonPtr& robot, double gravity) {
  robot->setGravity({0, 0, -gravity});
  for (std::size_t i = 0; i < robot->getNumDofs(); ++i) {
    dart::dynamics::DegreeOfFreedom* dof = robot->getDof(i);
    dof->setDampingCoefficient(0);
    dof->setCoulombFriction(0);
    dof->setSpringStiffness(0);
  }
}

Json describe(const std::string& file, int states, bool is_free) {
  const SkeletonPtr robot = read(file, is_free);
  if (!robot) return {{"file", file}, {"error", "DART does not read it"}};
  leave_bare(robot, file.ends_with(".sdf") ? 9.8 : 9.81);  // each format's default
  Json bodies = Json::array({"world"}), joints = Json::array();
  for (std::size_t i = 0; i < robot->getNumBodyNodes(); ++i) {
    const auto* joint = robot->getBodyNode(i)->getParentJoint();
    bodies.push_back(robot->getBodyNode(i)->getName());
    if (joint->getNumDofs() == 0) continue;
    const std::string& type = joint->getType();
    joints.push_back({{"name", joint->getName()},
                      {"type", type == "RevoluteJoint"    ? "hinge"
                               : type == "PrismaticJoint" ? "slide"
                               : type == "FreeJoint"      ? "free"
                                                          : type},
                      {"q", joint->getIndexInSkeleton(0)},
                      {"v", joint->getIndexInSkeleton(0)},
                      {"body", i + 1}});
  }
  robot->resetPositions();
  Json start = {{"qpos", flat(VectorXd(robot->getPositions()))}};
  add_poses(robot, start);
  Json all = Json::array();
  std::mt19937 random(1);
  for (int i = 0; i < states; ++i) all.push_back(at_random_state(robot, random));
  return {{"file", file},    {"nv", robot->getNumDofs()}, {"bodies", bodies},
          {"free", is_free}, {"joints", joints},          {"start", start},
          {"states", all}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool is_free = argv[3] == std::string("--free");
  Json all = Json::array();
  for (int i = is_free ? 4 : 3; i < argc; ++i) all.push_back(describe(argv[i], std::stoi(argv[2]), is_free));
  std::ofstream(argv[1]) << all;
}
