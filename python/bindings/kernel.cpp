// Source code made for one mechanism, and what its instances are given.
#include "trammel/kernel.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "words.h"

namespace trammel::python {
namespace {

py::array_t<double> numbers_of(const std::vector<double>& numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

Kernel kernel_of(const Mechanism& mechanism, const std::string& target,
                 const std::vector<Mechanism>& others) {
  const py::gil_scoped_release released;
  const KernelTarget wanted = target == "cuda" ? KernelTarget::cuda : KernelTarget::cpp;
  Kernel kernel(mechanism, mechanism.plan, {wanted, others});
  if (!kernel.refusal().empty())
    throw std::invalid_argument(
        fmt::format("no kernel can be made of this model: {}", in_python(kernel.refusal())));
  return kernel;
}

// Constants and start of one instance.
py::tuple instance(const Kernel& kernel, const Mechanism& mechanism) {
  KernelInstance made;
  {
    const py::gil_scoped_release released;
    made = kernel.instance(mechanism);
  }
  if (!made.refusal.empty())
    throw std::invalid_argument(fmt::format("the kernel has no instance of this model: {}{}",
                                            in_python(made.refusal),
                                            made.differs ? "; give kernel() this model among others=" : ""));
  return py::make_tuple(numbers_of(made.constants), numbers_of(made.state));
}

}  // namespace

void bind_kernel(py::module_& module) {
  py::class_<Kernel>(module, "Kernel")
      .def(py::init(&kernel_of))
      .def_property_readonly("text", &Kernel::text)
      .def_property_readonly("operations", &Kernel::operations)
      .def_property_readonly("constants", &Kernel::constants)
      .def("instance", instance);
}

}  // namespace trammel::python
