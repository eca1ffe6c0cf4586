#include "trammel/trajectory.h"

#include <fmt/format.h>

#include <stdexcept>

#include "expressions/nearest_name.h"

namespace trammel {

std::vector<double> Trajectory::column(const std::string& name) const {
  const int at = find(name);
  if (at < 0) {
    std::vector<std::string> known;
    for (const Channel& channel : channels) known.push_back(channel.name);
    throw std::invalid_argument(
        fmt::format("there is no column '{}'; {}", name, expressions::choice_advice(name, known)));
  }
  std::vector<double> out(rows());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = row(i)[static_cast<std::size_t>(at)];
  return out;
}

}  // namespace trammel
