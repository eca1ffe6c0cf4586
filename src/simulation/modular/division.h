// Division: a Mechanism cut along the borders of its subsystems.
//
// What touches the bodies of one subsystem alone goes inside it; every other joint, driver, force or
// constraint is a connector, with a small mechanism of its own: the bodies that it touches, without weight,
// and itself. A joint to ground is a connector too, unless the subsystem holds ground.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "expressions/expression.h"
#include "trammel/mechanism.h"

namespace trammel::simulation {

struct Connector {
  std::string name;
  bool is_force = false;  // else it has constraint rows, which bear its name
  double gravity = 0;     // m/s², of the whole mechanism
  Mechanism mechanism;
};

class Division {
 public:
  explicit Division(const Mechanism& mechanism);

  // Those of the mechanism, then one for each body that no other has.
  const std::vector<Subsystem>& subsystems() const { return subsystems_; }
  // The subsystem of a body.
  std::size_t home(const std::string& body) const { return home_.at(body); }
  Mechanism inside(std::size_t subsystem) const;
  std::vector<Connector> connectors() const;
  // The mechanism with the joints between subsystems as equations, so that its bodies share nothing there.
  Mechanism whole() const;

 private:
  // What something depends on.
  struct Uses {
    std::set<std::string> bodies;  // moving ones
    std::set<std::string> joints, springs;
    bool ground = false, states = false;
  };
  static constexpr int kBetween = -1;

  void refuse_armatures() const;
  void use(Uses&, const std::string& body) const;
  void use_joint(Uses&, const std::string& name) const;
  void use_text(Uses&, const std::string& text) const;
  Uses uses(const Joint&) const;
  Uses uses(const Driver&) const;
  Uses uses(const Force&) const;
  Uses uses(const CustomConstraint&) const;
  // The subsystem that contains all of it, or kBetween.
  int home_of(const Uses&, bool constrains) const;
  int home_of_joint(const Joint&) const;

  Mechanism only(const std::set<std::string>& bodies) const;
  Connector connector(const std::string& name, const Uses&) const;

  const Mechanism mechanism_;
  std::unique_ptr<expressions::Symbols> symbols_;
  std::vector<Subsystem> subsystems_;
  std::map<std::string, std::size_t> home_;
};

}  // namespace trammel::simulation
