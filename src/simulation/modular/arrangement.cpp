// Modules and connections of a mechanism, and how they follow its changes.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/projection/assembly.h"
#include "simulation/modular/modular.h"

namespace trammel::simulation {
namespace {

constexpr double kSettled = 1e-10;  // of forces after a change: far below what a step leaves

template <class List>
bool has(const List& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const auto& x) { return x->name() == name; });
}

std::shared_ptr<const system::System> system_of(const Modular* like, const std::string& subsystem) {
  if (like != nullptr)
    for (const auto& module : like->modules())
      if (module->name() == subsystem) return module->system();
  return nullptr;
}

// A module that comes to a running mechanism, as placed.
void assemble_alone(Module& module) {
  const AssemblyReport assembly = formulations::assemble(*module.system(), module.state());
  if (!assembly.report.accepted())
    throw std::invalid_argument(fmt::format(
        "subsystem '{}' cannot be assembled; check the lengths, places and velocities of its bodies",
        module.name()));
}

}  // namespace

// What is new is made aside: when something cannot be made, nothing has changed.
void Modular::arrange(const Division& division, const std::vector<mechanism::Watched>& watched,
                      const Modular* like) {
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<std::unique_ptr<Connection>> connections;
  std::map<std::string, Module*> homes;
  for (std::size_t k = 0; k < division.subsystems().size(); ++k) {
    const Subsystem& settings = division.subsystems()[k];
    Module* module = nullptr;
    for (const auto& known : modules_)
      if (known->name() == settings.name) module = known.get();
    if (module == nullptr) {
      modules.push_back(
          std::make_unique<Module>(settings, division.inside(k), plan_, system_of(like, settings.name)));
      module = modules.back().get();
      if (uzawa_) assemble_alone(*module);
    }
    for (const std::string& body : settings.bodies) homes[body] = module;
  }
  const Connection::Home home = [&](const std::string& body) -> Module& { return *homes.at(body); };
  const std::vector<Connector> connectors = division.connectors();
  for (const Connector& connector : connectors)
    if (!has(connections_, connector.name))
      connections.push_back(std::make_unique<Connection>(connector, home, plan_));
  Mechanism whole = division.whole();
  auto observer = std::make_unique<Observer>(system::compile(whole, {}, watched), home);

  std::erase_if(connections_, [&](const auto& c) {
    return std::none_of(connectors.begin(), connectors.end(),
                        [&](const auto& k) { return k.name == c->name(); });
  });
  std::erase_if(modules_, [&](const auto& m) {
    const auto& all = division.subsystems();
    return std::none_of(all.begin(), all.end(), [&](const auto& s) { return s.name == m->name(); });
  });
  std::move(modules.begin(), modules.end(), std::back_inserter(modules_));
  std::move(connections.begin(), connections.end(), std::back_inserter(connections_));
  observer_ = std::move(observer);
  bodies_ = std::move(whole.bodies);
  put_in_order(division, connectors);
  prepare_iteration();
}

// As the mechanism has them, whatever came and went before: states and sums do not depend on it.
void Modular::put_in_order(const Division& division, const std::vector<Connector>& connectors) {
  const auto order = [](auto& list, const auto& wanted) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto from = list.begin() + static_cast<std::ptrdiff_t>(k);
      std::iter_swap(
          from, std::find_if(from, list.end(), [&](const auto& x) { return x->name() == wanted[k].name; }));
    }
  };
  order(modules_, division.subsystems());
  order(connections_, connectors);
  for (const auto& module : modules_) module->release_ports();
  for (const auto& connection : connections_) connection->hold();
}

void Modular::prepare_iteration() {
  if (uzawa_)
    uzawa_->arrange();
  else
    uzawa_ = std::make_unique<Uzawa>(modules_, connections_, plan_.modular, executor_);
  projector_ = std::make_unique<formulations::Projector>(*whole(), SolverChoice::automatic);
  terms_ = whole()->make_terms();
  outcomes_.assign(modules_.size(), Outcome::ok);
  // A connection's rows are those of the whole that bear its name, in the same order.
  whole_rows_.clear();
  for (const auto& connection : connections_)
    for (std::size_t row = 0; connection->rows() > 0 && row < whole()->rows().size(); ++row)
      if (const system::RowOwner& owner = whole()->rows()[row];
          owner.kind != system::RowOwner::Kind::body && owner.name == connection->name())
        whole_rows_.push_back(row);
}

State Modular::follow(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                      const State& old) {
  load(old);
  const std::shared_ptr<const system::System> before = whole();
  arrange(Division(mechanism), watched, nullptr);
  State s = whole()->initial_state();
  s.t = old.t;
  s.x = old.x;
  s.inputs = old.inputs;
  for (const Memory& memory : old.memory)
    if (memory.slot != kModules && memory.slot != system::kAngles) s.memory.push_back(memory);
  store(s);
  whole()->take_turns(before->turns(old), s);
  return s;
}

Report Modular::settle(State& state) {
  Report report = stand(state);
  if (!report.accepted()) return report;
  const Uzawa::Result result = uzawa_->accelerations_exactly(kSettled, plan_.modular.max_sweeps);
  if (result.outcome != Outcome::ok) return not_converged(result);
  for (const auto& module : modules_) module->settle();
  store(state);
  return report;
}

Report Modular::reconcile(State& state, const Mechanism& mechanism, std::vector<Edit::Impulse>& impulses) {
  Report report = stand(state);
  if (!report.accepted()) return report;
  const Uzawa::Result result = uzawa_->velocities(plan_.modular.max_sweeps);
  if (result.outcome != Outcome::ok) return not_converged(result);
  for (const auto& connection : connections_)
    if (const Joint* joint = mechanism.joint(connection->name());
        joint != nullptr && !joint->markers.empty()) {
      const auto [force, torque] = connection->wrench(connection->iterate.lambda, *joint);
      impulses.push_back({joint->name, force, torque});
    }
  store(state);
  return report;
}

double Modular::gap(const State& state, const std::string& name) {
  load(state);
  for (const auto& module : modules_)
    for (const auto& port : module->ports()) port->view->see(module->state(), port->motion);
  for (const auto& connection : connections_) {
    if (connection->name() != name) continue;
    connection->read(state, state.t, state.x);
    return connection->gap();
  }
  return 0;
}

}  // namespace trammel::simulation
