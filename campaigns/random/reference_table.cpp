#include "reference_table.h"

#include <algorithm>
#include <cmath>

namespace trammel::campaigns::random {
namespace {

constexpr const char* kAxes = "xyz";

class Columns {
 public:
  explicit Columns(const Specification& spec) : spec_(spec) {}

  std::map<std::string, ReferenceColumn> of(const Equations& equations, const OracleMotion& motion) {
    for (const OracleRow& row : motion.rows) {
      for (std::size_t b = 0; b < spec_.bodies.size(); ++b) add_body(row, b);
      for (std::size_t j = 0; j < spec_.joints.size(); ++j) add_coordinates(row, j);
      for (std::size_t k = 0; k < row.loads.size(); ++k) add_load(equations.owners()[k], row.loads[k]);
      add("energy.kinetic", row.kinetic);
      add("energy.potential", row.potential);
      add("energy.work", row.work);
    }
    return columns_;
  }

 private:
  void add(const std::string& name, double value) { columns_[name].values.push_back(value); }
  void add_vector(const std::string& name, const Vector3d& v) {
    for (int k = 0; k < (spec_.planar ? 2 : 3); ++k) add(name + "." + kAxes[k], v[k]);
  }
  void add_body(const OracleRow& row, std::size_t b) {
    const std::string name = body_name(static_cast<int>(b));
    const BodyMotion& m = row.phase.bodies[b];
    add_vector(name, m.x);
    add_vector(name + ".v", m.v);
    if (spec_.planar) {
      add(name + ".angle", row.angle[b]);
      add(name + ".omega", m.w.z());
      return;
    }
    add_vector(name + ".omega", m.w);
    const Quaterniond q(m.R);
    add(name + ".q.w", q.w()), add(name + ".q.x", q.x()), add(name + ".q.y", q.y()),
        add(name + ".q.z", q.z());
  }
  void add_coordinates(const OracleRow& row, std::size_t j) {
    const std::string name = joint_name(static_cast<int>(j));
    const bool both = !std::isnan(row.coordinate[0][j]) && !std::isnan(row.coordinate[1][j]);
    for (int kind = 0; kind < 2; ++kind) {
      if (std::isnan(row.coordinate[kind][j])) continue;
      const std::string word = kind == 0 ? "angle" : "displacement";
      add(name + "." + word, row.coordinate[kind][j]);
      add(name + (both ? "." + word + "_rate" : ".rate"), row.rate[kind][j]);
    }
  }
  void add_load(const Owner& owner, const Load& load) {
    const auto put = [&](const std::string& name, int k) {
      ReferenceColumn& column = columns_[name];
      column.least_freedom =
          column.values.empty() ? load.freedom[k] : std::min(column.least_freedom, load.freedom[k]);
      column.freedom = std::max(column.freedom, load.freedom[k]);
      column.values.push_back(load.value[k]);
    };
    for (int k = 0; k < 3 && owner.is_wrench; ++k) {
      if (!spec_.planar || k < 2) put(owner.name + ".force." + kAxes[k], k);
      if (!spec_.planar || k == 2) put(owner.name + ".torque." + kAxes[k], 3 + k);
    }
    if (owner.effort != 0) put(owner.name + ".effort", 6);
  }

  const Specification& spec_;
  std::map<std::string, ReferenceColumn> columns_;
};

}  // namespace

ReferenceTable reference_table(const Equations& equations, const OracleMotion& tight,
                               const OracleMotion& coarse) {
  ReferenceTable out;
  const Specification& spec = equations.spec();
  const Mobility ranks = mobility(equations, equations.start());
  out.freedoms = equations.unknowns() - ranks.rank;
  out.position_freedoms = equations.unknowns() - ranks.position_rank;
  out.redundant = static_cast<int>(equations.rows().size()) - ranks.rank;
  for (const OracleRow& row : tight.rows) out.times.push_back(row.phase.t);
  out.columns = Columns(spec).of(equations, tight);
  for (const auto& [name, other] : Columns(spec).of(equations, coarse)) {
    ReferenceColumn& column = out.columns[name];
    for (std::size_t i = 0; i < other.values.size(); ++i) {
      double apart = std::abs(column.values[i] - other.values[i]);
      // A quaternion and its negative are the same.
      if (name.find(".q.") != std::string::npos)
        apart = std::min(apart, std::abs(column.values[i] + other.values[i]));
      column.known = std::max(column.known, apart);
    }
  }
  return out;
}

}  // namespace trammel::campaigns::random
