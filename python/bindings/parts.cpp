// Forces and constraints written in Python (trammel/user.h).
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "callback.h"
#include "model/reader/context.h"
#include "parts.h"
#include "trammel/user.h"

namespace trammel::python {
namespace {

using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Place = std::pair<std::string, std::array<double, 3>>;

std::vector<UserPoint> points_of(const std::vector<Place>& places) {
  std::vector<UserPoint> points;
  for (const auto& [body, at] : places) points.push_back({body, Eigen::Vector3d(at[0], at[1], at[2])});
  return points;
}

// One row for each point; a copy, for the function may keep it.
py::array_t<double> rows(UserVectors x) {
  static_assert(sizeof(Eigen::Vector3d) == 3 * sizeof(double));
  return py::array_t<double>({static_cast<py::ssize_t>(x.size()), py::ssize_t{3}},
                             x.empty() ? nullptr : x.front().data());
}

// What a function gave, in a few words: its shape, or itself.
std::string told(const py::object& given, const Values& values) {
  if (values && !given.is_none() && !py::isinstance<py::float_>(given))
    return fmt::format("of the shape {}", py::str(py::object(values.attr("shape"))).cast<std::string>());
  return py::repr(given).cast<std::string>();
}

// So many numbers, as a function gave them at a time.
Values numbers(const py::object& given, py::ssize_t count, const std::string& what, double t,
               const std::string& wanted) {
  const py::array array = py::array::ensure(given);
  if (!array) PyErr_Clear();
  // A condition is no number.
  const bool real = array && std::string_view("iufO").find(array.dtype().kind()) != std::string_view::npos;
  if (array && array.dtype().kind() == 'c')
    raise("ModelError", fmt::format("{} is complex at t = {:.6g} s: {}; return real numbers", what, t,
                                    py::str(given).cast<std::string>()));
  const auto values = real ? Values::ensure(array) : py::reinterpret_steal<Values>(py::handle());
  if (!values) PyErr_Clear();
  if (!real || !values || given.is_none() || values.size() != count)
    raise("ModelError",
          fmt::format("{} is {} at t = {:.6g} s; return {}", what, told(given, values), t, wanted));
  return values;
}

std::string rows_of(std::size_t points) {
  return fmt::format("numbers of the shape ({}, 3), a row for each point", points);
}

class PythonForce final : public UserForce {
 public:
  PythonForce(const std::string& name, std::vector<UserPoint> points, const py::object& force,
              const py::object& derivatives, double length, double speed, bool planar)
      : points_(std::move(points)),
        force_(Callback::weak(force, fmt::format("force '{}'", name))),
        length_(length),
        speed_(speed),
        planar_(planar) {
    if (!derivatives.is_none()) derivatives_ = Callback::weak(derivatives, force_.owner());
  }

  std::vector<UserPoint> points() const override { return points_; }
  double length_scale() const override { return length_; }
  double speed_scale() const override { return speed_; }

  void force(double t, Points x, Points v, Forces f) const override {
    const py::gil_scoped_acquire held;
    const auto count = static_cast<py::ssize_t>(3 * x.size());
    const Values out =
        numbers(force_(t, false, t, rows(x), rows(v)), count, force_.owner(), t, rows_of(x.size()));
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = Eigen::Map<const Eigen::Vector3d>(out.data() + 3 * i);
    if (planar_) check_plane(t, x, v, f);
  }

  void derivatives(double t, Points x, Points v, Eigen::Ref<Eigen::MatrixXd> K,
                   Eigen::Ref<Eigen::MatrixXd> C) const override {
    if (derivatives_) {
      const py::gil_scoped_acquire held;
      const py::object both = (*derivatives_)(t, false, t, rows(x), rows(v));
      if (!both.is_none()) {
        const auto size = static_cast<py::ssize_t>(K.size());
        const Values out = numbers(
            both, 2 * size, "the derivatives of " + force_.owner(), t,
            fmt::format("two arrays of the shape ({0}, {0}), by positions and by velocities", K.rows()));
        K = Eigen::Map<const RowMajor>(out.data(), K.rows(), K.cols());
        C = Eigen::Map<const RowMajor>(out.data() + size, C.rows(), C.cols());
        return;
      }
    }
    UserForce::derivatives(t, x, v, K, C);
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // Differences go out of the plane, too.
  void check_plane(double t, Points x, Points v, Forces f) const {
    constexpr double kRounding = 1e-12;  // of the force
    for (std::size_t i = 0; i < f.size(); ++i)
      if (x[i].z() != 0 || v[i].z() != 0) return;
    for (std::size_t i = 0; i < f.size(); ++i)
      if (std::abs(f[i].z()) > kRounding * f[i].norm())
        raise(
            "ModelError",
            fmt::format("{} has the component z = {:.6g} N on '{}' at t = {:.6g} s, and the mechanism moves "
                        "in the plane; let it be 0",
                        force_.owner(), f[i].z(), points_[i].body, t));
  }

  std::vector<UserPoint> points_;
  Callback force_;
  std::optional<Callback> derivatives_;  // none, or one that gives None: by differences
  double length_, speed_;
  bool planar_;
};

// Of a constraint: its value, ∂Φ/∂x, ∂Φ/∂t and γ; one that gives None is found by differences.
struct Functions {
  Callback value, gradient, time_derivative, gamma;
};

class PythonConstraint final : public UserConstraint {
 public:
  PythonConstraint(std::vector<UserPoint> points, Functions functions, double scale, double length,
                   double time)
      : points_(std::move(points)),
        functions_(std::move(functions)),
        scale_(scale),
        length_(length),
        time_(time) {}

  std::vector<UserPoint> points() const override { return points_; }
  double scale() const override { return scale_; }
  double length_scale() const override { return length_; }
  double time_scale() const override { return time_; }

  double value(double t, Points x) const override {
    const py::gil_scoped_acquire held;
    return number(functions_.value(t, false, t, rows(x)), "", t);
  }
  void gradient(double t, Points x, Gradients g) const override {
    {
      const py::gil_scoped_acquire held;
      const py::object given = functions_.gradient(t, false, t, rows(x));
      if (!given.is_none()) {
        const Values out = numbers(given, static_cast<py::ssize_t>(3 * x.size()),
                                   "the gradient of " + functions_.value.owner(), t, rows_of(x.size()));
        for (std::size_t i = 0; i < g.size(); ++i)
          g[i] = Eigen::Map<const Eigen::Vector3d>(out.data() + 3 * i);
        return;
      }
    }
    UserConstraint::gradient(t, x, g);
  }
  double time_derivative(double t, Points x) const override {
    {
      const py::gil_scoped_acquire held;
      const py::object given = functions_.time_derivative(t, false, t, rows(x));
      if (!given.is_none()) return number(given, "the time derivative of ", t);
    }
    return UserConstraint::time_derivative(t, x);
  }
  double gamma(double t, Points x, Points v) const override {
    {
      const py::gil_scoped_acquire held;
      const py::object given = functions_.gamma(t, false, t, rows(x), rows(v));
      if (!given.is_none()) return number(given, "gamma of ", t);
    }
    return UserConstraint::gamma(t, x, v);
  }

 private:
  double number(const py::object& given, const std::string& what, double t) const {
    return *numbers(given, 1, what + functions_.value.owner(), t, "one number").data();
  }

  std::vector<UserPoint> points_;
  Functions functions_;
  double scale_, length_, time_;
};

// The rules of names in model files: expressions may use them.
void check_name(const std::string& what, const std::string& name) {
  if (!model::is_identifier(name))
    raise(
        "ModelError",
        fmt::format("'{}' cannot name a {}; use letters, digits and _, starting with a letter", name, what));
  if (model::is_reserved(name))
    raise("ModelError",
          fmt::format("'{}' has a meaning of its own and cannot name a {}; choose another name", name, what));
}

Part force(const std::string& name, const std::vector<Place>& points, const py::object& function,
           const py::object& derivatives, double length, double speed, bool planar) {
  check_name("force", name);
  return Force{
      name,
      std::make_shared<PythonForce>(name, points_of(points), function, derivatives, length, speed, planar),
      {}};
}

Part constraint(const std::string& name, const std::vector<Place>& points,
                const std::array<py::object, 4>& functions, double scale, double length, double time) {
  check_name("constraint", name);
  const std::string owner = fmt::format("constraint '{}'", name);
  const auto weak = [&](std::size_t k) { return Callback::weak(functions[k], owner); };
  return CustomConstraint{
      name, std::make_shared<PythonConstraint>(
                points_of(points), Functions{weak(0), weak(1), weak(2), weak(3)}, scale, length, time)};
}

}  // namespace

OwnParts own_parts(const std::vector<Part>& parts) {
  OwnParts own;
  for (const Part& part : parts) {
    if (const auto* one = std::get_if<Force>(&part.of)) own.forces.push_back(*one);
    if (const auto* one = std::get_if<CustomConstraint>(&part.of)) own.constraints.push_back(*one);
  }
  return own;
}

void bind_parts(py::module_& module) {
  py::class_<Part>(module, "Part");
  module.def("force", force);
  module.def("constraint", constraint);
}

}  // namespace trammel::python
