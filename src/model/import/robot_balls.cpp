#include "model/import/robot_balls.h"

#include <fmt/format.h>

namespace trammel::model {
namespace {

constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};

// θ/2⁵ is so small that five terms of the series err by 10⁻¹⁶.
constexpr int kHalvings = 5;

using Components = std::array<std::string, 3>;

// Axis k of a body, as the model names it; of ground its constant components.
std::string axis_component(const std::string& body, std::size_t k, std::size_t component) {
  if (body == kGround) return k == component ? "1" : "0";
  return fmt::format("{}.e{}.{}", body, kAxes[k], kAxes[component]);
}

// Σ factor · term, without what is zero.
std::string sum_text(const std::array<double, 3>& factors, const Components& terms) {
  std::string sum;
  double constant = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    if (factors[j] == 0 || terms[j] == "0") continue;
    if (terms[j] == "1") {
      constant += factors[j];
      continue;
    }
    const std::string factor = factors[j] == 1 ? "" : fmt::format("({})*", factors[j]);
    sum += fmt::format("{}{}{}", sum.empty() ? "" : " + ", factor, terms[j]);
  }
  if (constant != 0 || sum.empty()) sum += fmt::format("{}({})", sum.empty() ? "" : " + ", constant);
  return sum;
}

// Axis i of the child as it would stand if the joint had not turned: fixed to the parent.
Components unturned_axis(const RobotText& text, const RobotJoint& joint, std::size_t i) {
  const Robot& robot = text.robot;
  const Frame &child = robot.body(robot.whole(joint.child)).placement,
              &parent = robot.body(robot.whole(joint.parent)).placement;
  const Vec3 along = parent.axes.transpose() * child.axes.col(static_cast<Eigen::Index>(i));
  const std::array<double, 3> factors{tidy(along[0]), tidy(along[1]), tidy(along[2])};
  Components axis;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::string& body = text.body_name(joint.parent);
    axis[c] = sum_text(factors,
                       {axis_component(body, 0, c), axis_component(body, 1, c), axis_component(body, 2, c)});
  }
  return axis;
}

class BallSpring {
 public:
  BallSpring(RobotText& text, int joint) : text_(text), index_(joint), joint_(text.robot.joint(joint)) {}

  // θ n, each component a name.
  Components rotation() {
    for (std::size_t i = 0; i < 3; ++i) {
      unturned_[i] = unturned_axis(text_, joint_, i);
      for (std::size_t c = 0; c < 3; ++c) turned_[i][c] = axis_component(text_.body_name(joint_.child), i, c);
    }
    std::string dots;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t c = 0; c < 3; ++c) dots += fmt::format(" - ({})*{}", unturned_[i][c], turned_[i][c]);
    std::string cosine = named("cos", fmt::format("1 - (3{})/2", dots)), product;
    for (int k = 1; k <= kHalvings; ++k) {
      cosine = named(fmt::format("cos_{}", 1 << k), fmt::format("sqrt((1 + {})/2)", cosine));
      product += fmt::format("{}{}", k == 1 ? "" : "*", cosine);
    }
    const std::string x = named("x", fmt::format("1 - {}", cosine));
    const std::string gain = named(
        "gain",
        fmt::format("(1 + {0}*(1/3 + {0}*(2/15 + {0}*(2/35 + {0}*(8/315 + {0}*8/693)))))/({1})", x, product));
    Components all;
    for (std::size_t c = 0; c < 3; ++c)
      all[c] = named(fmt::format("turn_{}", kAxes[c]), fmt::format("{}*({})/2", gain, cross(c)));
    return all;
  }

 private:
  // Component c of Σ r_i × e_i.
  std::string cross(std::size_t c) const {
    const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
    std::string sum;
    for (std::size_t i = 0; i < 3; ++i)
      sum += fmt::format("{}({})*{} - ({})*{}", i == 0 ? "" : " + ", unturned_[i][a], turned_[i][b],
                         unturned_[i][b], turned_[i][a]);
    return sum;
  }

  std::string named(const std::string& what, const std::string& expression) {
    const std::string name = text_.names.take(fmt::format("{}_{}", text_.joint_name(index_), what), "_law");
    text_.m.define(name, expression);
    text_.from("define", name, joint_.node);
    return name;
  }

  RobotText& text_;
  int index_;
  const RobotJoint& joint_;
  std::array<Components, 3> unturned_, turned_;
};

}  // namespace

std::array<std::string, 3> ball_torque(RobotText& text, int joint) {
  const RobotJoint& j = text.robot.joint(joint);
  const auto omega = [&](int body, std::size_t c) {
    const std::string& name = text.body_name(body);
    return name == kGround ? std::string("0") : fmt::format("{}.omega.{}", name, kAxes[c]);
  };
  Components turn;
  if (j.stiffness != 0) turn = BallSpring(text, joint).rotation();
  Components all;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::string rate = fmt::format("({} - {})", omega(j.child, c), omega(j.parent, c));
    std::string sum = j.stiffness != 0 ? fmt::format("({})*{}", j.stiffness, turn[c]) : "";
    if (j.damping != 0) sum += fmt::format("{}({})*{}", sum.empty() ? "" : " + ", j.damping, rate);
    all[c] = fmt::format("({})", sum);
  }
  return all;
}

}  // namespace trammel::model
