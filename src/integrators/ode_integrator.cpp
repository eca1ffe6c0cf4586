#include "integrators/ode_integrator.h"

#include <stdexcept>

#include "integrators/cvode.h"
#include "integrators/embedded_pair.h"
#include "integrators/explicit_runge_kutta.h"
#include "integrators/implicit_one_stage.h"
#include "integrators/radau.h"
#include "integrators/semi_implicit_euler.h"

namespace trammel::integrators {
namespace {

using Made = std::unique_ptr<OdeIntegrator>;

struct Rule {
  const char* name;
  Made (*make)(const OdeOptions&);
};

template <const Tableau& tableau>
Made explicit_rule(const OdeOptions&) {
  return std::make_unique<ExplicitRungeKutta>(tableau);
}

template <const PairTableau& pair>
Made pair_rule(const OdeOptions& options) {
  return std::make_unique<EmbeddedPair>(pair, options);
}

template <const OneStage& stage>
Made implicit_rule(const OdeOptions& options) {
  return std::make_unique<ImplicitOneStage>(stage, options);
}

template <const RadauTableau& (*tableau)()>
Made radau_rule(const OdeOptions& options) {
  return std::make_unique<Radau>(tableau(), options);
}

constexpr Rule kRules[] = {
    {"euler", explicit_rule<kEuler>},
    {"semi-implicit-euler", [](const OdeOptions&) -> Made { return std::make_unique<SemiImplicitEuler>(); }},
    {"rk2-midpoint", explicit_rule<kMidpoint>},
    {"rk2-heun", explicit_rule<kHeun>},
    {"rk4", explicit_rule<kRungeKutta4>},
    {"dopri5", pair_rule<kDopri5>},
    {"dop853", pair_rule<kDop853>},
    {"radau5", radau_rule<radau5>},
    {"radau9", radau_rule<radau9>},
    {"implicit-midpoint", implicit_rule<kImplicitMidpoint>},
    {"implicit-trapezoidal", implicit_rule<kImplicitTrapezoidal>},
#ifdef TRAMMEL_SUNDIALS
    {"cvode-adams", [](const OdeOptions& o) { return make_cvode(CvodeMethod::adams, o); }},
    {"cvode-bdf", [](const OdeOptions& o) { return make_cvode(CvodeMethod::bdf, o); }},
#endif
};

}  // namespace

std::unique_ptr<OdeIntegrator> make_ode_integrator(const std::string& name, const OdeOptions& options) {
  if (!(options.tolerance > 0) || !(options.convergence > 0) || options.max_iterations < 1)
    throw std::logic_error("OdeOptions: tolerance, convergence and max_iterations must be positive");
  if (name == "trapezoidal") return implicit_rule<kImplicitTrapezoidal>(options);
  for (const Rule& rule : kRules)
    if (name == rule.name) return rule.make(options);
  return nullptr;
}

const std::vector<std::string>& ode_integrator_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Rule& rule : kRules) list.emplace_back(rule.name);
    return list;
  }();
  return names;
}

}  // namespace trammel::integrators
