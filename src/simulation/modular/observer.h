// Observer: the state of a System of the whole mechanism, from what the modules know of its places.
//
// The whole is compiled for results alone: its bodies share nothing across the borders of modules, so that
// each of its coordinates is a place of one module.
#pragma once

#include <memory>
#include <vector>

#include "simulation/modular/connection.h"

namespace trammel::simulation {

class Observer {
 public:
  Observer(std::shared_ptr<const system::System> whole, const Connection::Home& home);

  const std::shared_ptr<const system::System>& whole() const { return whole_; }
  // q, v and v̇ of the modules' states, or q and v as far as they can look ahead.
  void see(State& s);
  void see_ahead(State& s);

 private:
  struct Seen {
    const Module* module;
    std::unique_ptr<system::PlaceView> view;
    system::PlaceMotion motion;
  };
  void put(State& s, std::size_t element, const State& of_module, bool accelerations);

  std::shared_ptr<const system::System> whole_;
  std::vector<Seen> seen_;  // by coordinate place
  std::size_t dimensions_ = 2;
};

}  // namespace trammel::simulation
