// MuJoCo 2.2 as packaged in Debian: relative coordinates, loops closed by soft constraints. A model reaches
// it as text, so it is written as text.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <cstring>
#include <stdexcept>

#include "peers/skeleton.h"

namespace trammel::bench {
namespace {

std::string vec(const Vec3& x) { return fmt::format("{:.17g} {:.17g} {:.17g}", x[0], x[1], x[2]); }

std::string frame(const Place& f) {
  const Eigen::Quaterniond q(f.axes);
  return fmt::format("pos=\"{}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\"", vec(f.at), q.w(), q.x(), q.y(),
                     q.z());
}

// A rule is an integrator and how stiff the constraints of loops are: as MuJoCo has them, or as stiff as it
// allows, with a time constant of two steps and the largest impedance.
struct MujocoRule {
  const char *name, *integrator;
  bool stiff;
};
constexpr MujocoRule kRules[] = {{"RK4", "RK4", false},           {"RK4, stiff", "RK4", true},
                                 {"Euler", "Euler", false},       {"Euler, stiff", "Euler", true},
                                 {"implicit", "implicit", false}, {"implicit, stiff", "implicit", true}};

class Text {
 public:
  Text(const Links& links, const MujocoRule& rule, double h) : links_(links), rule_(rule), h_(h) {
    text_ = fmt::format(
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" boundmass=\"0\" boundinertia=\"0\"/>"
        "<size njmax=\"{}\" nconmax=\"1\"/>"
        "<option timestep=\"{:.17g}\" gravity=\"{}\" integrator=\"{}\" solver=\"Newton\" iterations=\"100\" "
        "tolerance=\"1e-14\"><flag contact=\"disable\"{}/></option><worldbody>",
        6 * links.ties.size() + 1, h, vec(links.gravity), rule.integrator,
        rule.stiff ? " refsafe=\"disable\"" : "");
    sites(kGroundLink);
    for (std::size_t k = 0; k < links.links.size(); ++k)
      if (links.links[k].parent < 0) body(static_cast<int>(k));
    text_ += "</worldbody>";
    tendons();
    equalities();
    text_ += "</mujoco>";
  }
  const std::string& text() const { return text_; }

 private:
  void body(int k) {
    const Link& link = links_.links[static_cast<std::size_t>(k)];
    const Place base = links_.place(link.parent);
    const Place own{base.axes.transpose() * (link.frame.at - base.at),
                    base.axes.transpose() * link.frame.axes};
    text_ += fmt::format("<body name=\"b{}\" {}>", k, frame(own));
    const Mat3& i = link.inertia;
    text_ += fmt::format(
        "<inertial pos=\"{}\" mass=\"{:.17g}\" fullinertia=\"{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} "
        "{:.17g}\"/>",
        vec(link.com), link.mass, i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
    if (link.tie < 0) {
      text_ += "<freejoint/>";
    } else {
      const Tie& tie = links_.ties[static_cast<std::size_t>(link.tie)];
      const char* type = tie.kind == Tie::Kind::revolute    ? "hinge"
                         : tie.kind == Tie::Kind::prismatic ? "slide"
                                                            : "ball";
      text_ += fmt::format("<joint type=\"{}\" pos=\"{}\" axis=\"{}\"/>", type, vec(tie.on_b.at),
                           vec(tie.on_b.axes.col(2)));
    }
    sites(k);
    for (std::size_t c = 0; c < links_.links.size(); ++c)
      if (links_.links[c].parent == k) body(static_cast<int>(c));
    text_ += "</body>";
  }

  // Ends of springs and of distances.
  void sites(int link) {
    const auto site = [&](char kind, std::size_t k, char end, const Vec3& at) {
      text_ += fmt::format("<site name=\"{}{}{}\" pos=\"{}\"/>", kind, k, end, vec(at));
    };
    for (std::size_t k = 0; k < links_.springs.size(); ++k) {
      const Spring& spring = links_.springs[k];
      if (spring.a == link) site('s', k, 'a', spring.on_a);
      if (spring.b == link) site('s', k, 'b', spring.on_b);
    }
    for (std::size_t k = 0; k < links_.ties.size(); ++k) {
      const Tie& tie = links_.ties[k];
      if (tie.kind != Tie::Kind::distance) continue;
      if (tie.a == link) site('d', k, 'a', tie.on_a.at);
      if (tie.b == link) site('d', k, 'b', tie.on_b.at);
    }
  }

  void tendons() {
    text_ += "<tendon>";
    const auto between = [&](char kind, std::size_t k, const std::string& more) {
      text_ += fmt::format(
          "<spatial name=\"{0}{1}\"{2}><site site=\"{0}{1}a\"/><site site=\"{0}{1}b\"/></spatial>", kind, k,
          more);
    };
    for (std::size_t k = 0; k < links_.springs.size(); ++k) {
      const Spring& spring = links_.springs[k];
      between('s', k,
              fmt::format(" stiffness=\"{:.17g}\" damping=\"{:.17g}\" springlength=\"{:.17g}\"",
                          spring.stiffness, spring.damping, spring.length));
    }
    for (std::size_t k = 0; k < links_.ties.size(); ++k)
      if (links_.ties[k].kind == Tie::Kind::distance) between('d', k, "");
    text_ += "</tendon>";
  }

  // A hinge in space is held at two points of its axis.
  void equalities() {
    std::string hold;
    if (rule_.stiff) hold = fmt::format(" solref=\"{:.17g} 1\" solimp=\"0.9999 0.9999 0.001\"", 2 * h_);
    text_ += "<equality>";
    for (std::size_t k = 0; k < links_.ties.size(); ++k) {
      const Tie& tie = links_.ties[k];
      if (tie.in_tree) continue;
      if (tie.kind == Tie::Kind::distance) {
        text_ += fmt::format("<tendon tendon1=\"d{}\"{}/>", k, hold);
        continue;
      }
      const auto connect = [&](const Vec3& at) {
        const std::string other = tie.a < 0 ? "" : fmt::format(" body2=\"b{}\"", tie.a);
        text_ += fmt::format("<connect body1=\"b{}\"{} anchor=\"{}\"{}/>", tie.b, other, vec(at), hold);
      };
      connect(tie.on_b.at);
      if (tie.kind == Tie::Kind::revolute && !links_.is_planar) connect(tie.on_b.at + tie.on_b.axes.col(2));
    }
    text_ += "</equality>";
  }

  const Links& links_;
  const MujocoRule& rule_;
  double h_;
  std::string text_;
};

mjModel* load(const std::string& text) {
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(text.size()) + 1);
  std::memcpy(vfs->filedata[0], text.c_str(), text.size() + 1);
  char error[500] = "";
  mjModel* model = mj_loadXML("model.xml", vfs.get(), error, sizeof error);
  mj_deleteVFS(vfs.get());
  if (!model) throw std::runtime_error(error);
  return model;
}

class MujocoRun final : public FixedSteps {
 public:
  MujocoRun(const Subject& subject, const MujocoRule& rule, double h) : FixedSteps(h), skeleton_(subject) {
    mju_user_warning = [](const char*) {};
    model_.reset(load(Text(skeleton_.links(), rule, h).text()));
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw std::runtime_error("no memory for it");
    for (std::size_t k = 0; k < skeleton_.links().links.size(); ++k) {
      ids_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, fmt::format("b{}", k).c_str()));
      set_velocity(k);
    }
    for (const Torque& torque : skeleton_.links().torques)
      for (int i = 0; i < 3; ++i)
        data_->xfrc_applied[6 * ids_[static_cast<std::size_t>(torque.on)] + 3 + i] = torque.value[i];
  }

  std::vector<Pose> poses() override {
    mj_forward(model_.get(), data_.get());
    std::vector<LinkState> states;
    for (const int id : ids_) {
      LinkState s;
      for (int i = 0; i < 3; ++i) {
        s.frame.at[i] = data_->xpos[3 * id + i];
        for (int j = 0; j < 3; ++j) s.frame.axes(i, j) = data_->xmat[9 * id + 3 * i + j];
      }
      mjtNum velocity[6];
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, id, velocity, 0);
      s.spin = Vec3(velocity[0], velocity[1], velocity[2]);
      s.velocity = Vec3(velocity[3], velocity[4], velocity[5]);
      states.push_back(s);
    }
    return skeleton_.poses(states);
  }

 protected:
  // A state that it finds bad it puts back to the start: that is a failure.
  bool step(double) override {
    mj_step(model_.get(), data_.get());
    for (const int bad : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
      if (data_->warning[bad].number > 0) return false;
    return true;
  }

 private:
  void set_velocity(std::size_t k) {
    const Links& links = skeleton_.links();
    const Link& link = links.links[k];
    const int joint = model_->body_jntadr[ids_[k]];
    mjtNum* v = data_->qvel + model_->jnt_dofadr[joint];
    const auto write = [&](int at, const Vec3& x) {
      for (int i = 0; i < 3; ++i) v[at + i] = x[i];
    };
    if (link.tie < 0) {
      write(0, link.velocity);
      write(3, link.frame.axes.transpose() * link.spin);
      return;
    }
    const Tie& tie = links.tie_of(link);
    const Vec3 spin = links.relative_spin(link);
    if (tie.kind == Tie::Kind::revolute)
      v[0] = spin[2];
    else if (tie.kind == Tie::Kind::prismatic)
      v[0] = links.relative_velocity(link)[2];
    else
      write(0, link.frame.axes.transpose() * (links.place(link.parent).axes * (tie.on_a.axes * spin)));
  }

  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  Skeleton skeleton_;
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<int> ids_;
};

class MujocoCode final : public Code {
 public:
  std::string name() const override { return "MuJoCo"; }
  bool is_peer() const override { return true; }
  std::vector<Rule> rules(const Problem& problem) const override {
    // Only loops have constraints.
    static constexpr const char* kOpen[] = {"flyball-governor", "three-link-pendulum", "chain-10"};
    const bool open =
        std::any_of(std::begin(kOpen), std::end(kOpen), [&](const char* n) { return problem.name == n; });
    std::vector<Rule> rules;
    for (const MujocoRule& rule : kRules)
      if (!open || !rule.stiff) rules.push_back({rule.name});
    return rules;
  }
  std::vector<Rule> growth_rules(const Problem& problem) const override {
    if (!problem.name.starts_with("chain")) return {};
    return {{"Euler"}};
  }
  std::unique_ptr<Run> start(const Subject& subject, const Setting& setting) const override {
    for (const MujocoRule& rule : kRules)
      if (rule.name == setting.rule.name) return std::make_unique<MujocoRun>(subject, rule, setting.value);
    throw std::runtime_error("there is no rule '" + setting.rule.name + "'");
  }
};

}  // namespace

std::unique_ptr<Code> make_mujoco() { return std::make_unique<MujocoCode>(); }

}  // namespace trammel::bench
