// Simbody's side of the benchmark, in C++17 as its headers want it.
#pragma once

#include <memory>

#include "peers/links.h"

namespace trammel::bench {

class SimbodyModel {
 public:
  virtual ~SimbodyModel() = default;
  [[nodiscard]] virtual bool advance(double t) = 0;
  virtual std::vector<LinkState> states() = 0;
  virtual long steps() const = 0;
};

std::unique_ptr<SimbodyModel> make_simbody_model(const Links& links, const std::string& rule,
                                                 bool by_tolerance, double value);

}  // namespace trammel::bench
