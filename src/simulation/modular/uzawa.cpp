#include "simulation/modular/uzawa.h"

#include <algorithm>
#include <cmath>

namespace trammel::simulation {
namespace {

// Below 2, where plain sweeps would no longer contract, and above 1, since the bound is rarely sharp.
constexpr double kStep = 1.5;
constexpr double kClosed = 1e-12;  // of impulses: rounding

using Iterate = Connection::Iterate;

// Σ z w
double z_dot_w(const Iterate& i) {
  double sum = 0;
  for (std::size_t r = 0; r < i.z.size(); ++r) sum += i.z[r] * i.w[r];
  return sum;
}

// Σ ρ (Kp)²
double product_square(const Iterate& i) {
  double sum = 0;
  for (std::size_t r = 0; r < i.z.size(); ++r) sum += i.rho[r] * i.Kp[r] * i.Kp[r];
  return sum;
}

// Σ ρ r²
double residual_square(const Iterate& i) {
  double sum = 0;
  for (std::size_t r = 0; r < i.z.size(); ++r) sum += i.z[r] * i.residual[r];
  return sum;
}

void scale_residual(Iterate& i) {
  for (std::size_t r = 0; r < i.z.size(); ++r) i.z[r] = i.rho[r] * i.residual[r];
}

}  // namespace

Uzawa::Uzawa(std::vector<std::unique_ptr<Module>>& modules,
             std::vector<std::unique_ptr<Connection>>& connections, const ModularPlan& plan,
             Executor* executor)
    : modules_(modules), connections_(connections), plan_(plan), workers_(executor) {
  arrange();
}

void Uzawa::arrange() {
  grips_.clear();
  for (const auto& module : modules_) {
    Grip grip{module.get(), {}, {}, {}};
    for (const auto& connection : connections_)
      for (std::size_t side = 0; side < connection->modules().size(); ++side)
        if (connection->modules()[side] == module.get())
          for (std::size_t r = 0; r < connection->rows(); ++r)
            grip.rows.push_back({connection.get(), side, r});
    grip.loads.setZero(module->system()->sizes().v, static_cast<Eigen::Index>(grip.rows.size()));
    grip.responses = grip.loads;
    grips_.push_back(std::move(grip));
  }
}

template <class Work>
void Uzawa::for_connections(Work&& work) {
  workers_.each(connections_.size(), [&](std::size_t k) { work(*connections_[k]); });
}

// What a module tells each row that holds it: its part of Σ|K| and of Φ_v M Φ_vᵀ.
void Uzawa::publish(Grip& grip) {
  const auto column = [](Eigen::MatrixXd& m, Eigen::Index k) {
    return std::span(m.col(k).data(), static_cast<std::size_t>(m.rows()));
  };
  const auto count = static_cast<Eigen::Index>(grip.rows.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto& [connection, side, row] = grip.rows[static_cast<std::size_t>(k)];
    for (const auto& port : grip.module->ports()) port->force.setZero();
    connection->act_row(row, *grip.module);
    grip.module->take_load(column(grip.loads, k));
    connection->row_mass[side * connection->rows() + row] = grip.module->mass_product(column(grip.loads, k));
    if (plan_.rho == "automatic") grip.module->respond_to(column(grip.loads, k), column(grip.responses, k));
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto& [connection, side, row] = grip.rows[static_cast<std::size_t>(k)];
    double sum = 0;
    for (Eigen::Index j = 0; j < count; ++j) sum += std::abs(grip.loads.col(j).dot(grip.responses.col(k)));
    connection->row_sum[side * connection->rows() + row] = sum;
  }
}

void Uzawa::choose_rho() {
  if (plan_.rho != "given") workers_.each(grips_.size(), [&](std::size_t k) { publish(grips_[k]); });
  for_connections([&](Connection& c) {
    const std::size_t rows = c.rows(), sides = c.modules().size();
    double published = 0;
    for (std::size_t s = 0; s < sides; ++s) {
      const auto first = c.row_mass.begin() + static_cast<std::ptrdiff_t>(s * rows);
      if (rows > 0) published += *std::min_element(first, first + static_cast<std::ptrdiff_t>(rows));
    }
    const auto own = plan_.rho_of.find(c.name());
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::size_t s = 0; s < sides; ++s) sum += c.row_sum[s * rows + r];
      // A row that moves nothing, where no module answers, has no force.
      const double automatic = sum > 0 ? kStep / sum : 0;
      c.iterate.rho[r] = own != plan_.rho_of.end()  ? own->second
                         : plan_.rho == "given"     ? plan_.rho_given
                         : plan_.rho == "published" ? published
                                                    : automatic;
    }
  });
}

void Uzawa::sweep(bool respond) {
  workers_.each(modules_.size(), [&](std::size_t k) {
    if (respond)
      modules_[k]->respond();
    else
      modules_[k]->accelerate();
  });
}

double Uzawa::sum(double (*share)(const Iterate&)) {
  double total = 0;
  for (const auto& connection : connections_) total += share(connection->iterate);
  return total;
}

// Whether what a plain sweep would change is small at every connection; else which is worst.
bool Uzawa::converged(double tolerance, Result& result) const {
  result.left = 0;
  result.worst = nullptr;
  bool all = true;
  for (const auto& connection : connections_) {
    const double size = connection->relative_size(connection->iterate.z, connection->iterate.lambda);
    all = all && size <= tolerance;
    if (!std::isfinite(size)) {
      result.worst = connection.get();
      result.left = size;
      return false;
    }
    if (result.worst != nullptr && size <= result.left) continue;
    result.worst = connection.get();
    result.left = size;
  }
  return all;
}

Uzawa::Result Uzawa::plain(double tolerance, int max_sweeps) {
  Result result;
  while (result.sweeps < max_sweeps) {
    for_connections([](Connection& c) { c.act(c.iterate.lambda, true); });
    sweep(false);
    ++result.sweeps;
    for_connections([](Connection& c) {
      c.residual(c.iterate.residual);
      scale_residual(c.iterate);
      for (std::size_t r = 0; r < c.rows(); ++r) c.iterate.lambda[r] += c.iterate.z[r];
    });
    if (converged(tolerance, result)) return result;
    if (!std::isfinite(result.left)) break;
  }
  result.outcome = Outcome::not_converged;
  return result;
}

// w = K z by a sweep; p and Kp follow, conjugate to what they were.
template <class Done>
bool Uzawa::conjugate(int max_sweeps, Result& result, Done&& done) {
  double before = 0;
  for (bool first = true; result.sweeps < max_sweeps; first = false) {
    for_connections([](Connection& c) { c.act(c.iterate.z, false); });
    sweep(true);
    ++result.sweeps;
    for_connections([](Connection& c) { c.product(c.iterate.w); });
    const double now = sum(z_dot_w), beta = first ? 0 : now / before;
    for_connections([&](Connection& c) {
      Iterate& i = c.iterate;
      for (std::size_t r = 0; r < c.rows(); ++r) {
        i.p[r] = i.z[r] + beta * i.p[r];
        i.Kp[r] = i.w[r] + beta * i.Kp[r];
      }
    });
    before = now;
    const double alpha = now / sum(product_square);
    if (!std::isfinite(alpha)) return false;
    for_connections([&](Connection& c) {
      Iterate& i = c.iterate;
      for (std::size_t r = 0; r < c.rows(); ++r) {
        i.lambda[r] += alpha * i.p[r];
        i.residual[r] -= alpha * i.Kp[r];
      }
      scale_residual(i);
    });
    if (done()) return true;
  }
  return false;
}

Uzawa::Result Uzawa::accelerated(double tolerance, int max_sweeps) {
  Result result;
  // What the conjugate sweeps find is looked at again by one that counts no more.
  do {
    for_connections([](Connection& c) { c.act(c.iterate.lambda, true); });
    sweep(false);
    ++result.sweeps;
    for_connections([](Connection& c) {
      c.residual(c.iterate.residual);
      scale_residual(c.iterate);
    });
    if (converged(tolerance, result)) return result;
  } while (conjugate(max_sweeps, result, [&] { return converged(tolerance, result); }));
  result.outcome = Outcome::not_converged;
  return result;
}

Uzawa::Result Uzawa::accelerations(double tolerance, int max_sweeps) {
  choose_rho();
  return plan_.uzawa == "plain" ? plain(tolerance, max_sweeps) : accelerated(tolerance, max_sweeps);
}

Uzawa::Result Uzawa::accelerations_exactly(double tolerance, int max_sweeps) {
  choose_rho();
  return accelerated(tolerance, max_sweeps);
}

Uzawa::Result Uzawa::velocities(int max_sweeps) {
  Result result;
  choose_rho();
  for_connections([](Connection& c) {
    std::fill(c.iterate.lambda.begin(), c.iterate.lambda.end(), 0.0);
    c.rate(c.iterate.residual);
    scale_residual(c.iterate);
  });
  const double start = sum(residual_square);
  const auto closed = [&] { return !(sum(residual_square) > kClosed * kClosed * start); };
  if (!closed() && !conjugate(max_sweeps, result, closed)) result.outcome = Outcome::not_converged;
  if (result.outcome != Outcome::ok) {
    converged(0, result);
    return result;
  }
  for_connections([](Connection& c) { c.act(c.iterate.lambda, false); });
  sweep(true);
  workers_.each(modules_.size(), [&](std::size_t k) { modules_[k]->jump(); });
  return result;
}

}  // namespace trammel::simulation
