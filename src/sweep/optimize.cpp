// optimize(): parameters for which an observation is least, by NLopt (Johnson).
//
// Global: controlled random search with local mutation (CRS2; Kaelo & Ali 2006), with constraints ISRES
// (Runarsson & Yao 2005), then a local search from what it found. Local: BOBYQA (Powell 2009), with
// constraints COBYLA (Powell 1994). The parameters are scaled to their bounds. All are deterministic for one
// seed, so that a search that was killed goes on with the evaluations of its log.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "sweep/distribution.h"
#include "sweep/evaluation_log.h"
#include "sweep/parts.h"
#include "sweep/values_in_text.h"
#include "trammel/fit.h"
#include "trammel/version.h"

#ifdef TRAMMEL_NLOPT
#include <nlopt.h>
#endif

namespace trammel {

#ifndef TRAMMEL_NLOPT

OptimizeResult optimize(const Mechanism&, const OptimizeSpec&, const SearchOptions&) {
  throw std::runtime_error(
      "optimize is not in this build: NLopt was not found; install it (libnlopt-dev) and build again");
}

#else

namespace {

constexpr long kEvaluationsPerParameter = 200;
constexpr const char* kExhausted = "the largest number of runs was reached";

// A further run would be one too many.
struct Exhausted : std::runtime_error {
  Exhausted() : std::runtime_error(kExhausted) {}
};

// "peak(A.force) < 100" → "(peak(A.force)) - (100)", which must not be positive.
std::string read_constraint(const std::string& text) {
  // The comparison itself; those inside brackets belong to an observation, as in first_time(a.x < 0) < 1.
  std::size_t sign = 0;
  for (int depth = 0; sign < text.size(); ++sign) {
    depth += text[sign] == '(' ? 1 : text[sign] == ')' ? -1 : 0;
    if (depth == 0 && (text[sign] == '<' || text[sign] == '>')) break;
  }
  if (sign == text.size())
    throw std::invalid_argument(
        fmt::format("subject-to '{}': there is no < or >; write 'peak(A.force) < 100'", text));
  const std::size_t right = sign + (text.substr(sign + 1, 1) == "=" ? 2 : 1);
  const std::string a = text.substr(0, sign), b = text.substr(right);
  return text[sign] == '<' ? fmt::format("({}) - ({})", a, b) : fmt::format("({}) - ({})", b, a);
}

struct Range {
  std::string name, low, high;
};

Range read_range(const std::string& text) {
  const std::size_t equals = text.find('='), colon = text.find(':', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || colon == std::string::npos)
    throw std::invalid_argument(fmt::format("over '{}': write NAME=LOW:HIGH", text));
  std::string name = text.substr(0, equals);
  if (name.starts_with("parameters.")) name.erase(0, 11);
  return {name, text.substr(equals + 1, colon - equals - 1), text.substr(colon + 1)};
}

class Search {
 public:
  Search(const Mechanism& mechanism, const OptimizeSpec& spec, const SearchOptions& options)
      : given_(mechanism),
        spec_(spec),
        options_(options),
        ranges_(read_ranges(spec)),
        variants_(mechanism, names(), false, errors_),
        most_(spec.evaluations > 0 ? spec.evaluations
                                   : kEvaluationsPerParameter * static_cast<long>(ranges_.size())) {
    if (errors_.empty()) read_bounds();
    if (spec.minimize.empty() == spec.maximize.empty())
      errors_.emplace_back(
          "give one of --minimize and --maximize, with an observation: --minimize 'peak(A.force)'");
    if (spec.method != "global" && spec.method != "local")
      errors_.push_back(fmt::format("there is no method '{}'; choose one of: global, local", spec.method));
    std::vector<std::string> observed = {"objective=" +
                                         (spec.minimize.empty() ? spec.maximize : spec.minimize)};
    for (std::size_t k = 0; k < spec.subject_to.size(); ++k)
      observed.push_back(fmt::format("constraint{}={}", k, read_constraint(spec.subject_to[k])));
    if (errors_.empty())
      variants_.observe(
          observed, 1, [this](std::uint64_t) { return at(std::vector<double>(ranges_.size(), 0.5)); }, {},
          errors_);
    if (errors_.empty() && variants_.observations().size() != observed.size())
      errors_.emplace_back("a curve cannot be least; observe one value of it, as at(x, 1)");
    if (!errors_.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(errors_, "\n")));
    log_.emplace(options.folder, description(), options.resume);
    log_->stops = [this] {
      return options_.progress && !options_.progress(log_->computed() + log_->known(), best_);
    };
  }

  OptimizeResult run();

 private:
  static std::vector<Range> read_ranges(const OptimizeSpec& spec) {
    std::vector<Range> all;
    for (const std::string& text : spec.over) all.push_back(read_range(text));
    if (all.empty()) throw std::invalid_argument("nothing can change; give --over NAME=LOW:HIGH");
    return all;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Range& one : ranges_) all.push_back(one.name);
    return all;
  }
  void read_bounds();
  std::string description() const;
  // Values of the parameters from those between 0 and 1.
  std::vector<double> at(const std::vector<double>& u) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < u.size(); ++k)
      values.push_back(low_[k] + std::clamp(u[k], 0.0, 1.0) * (high_[k] - low_[k]));
    return values;
  }
  double sign() const { return spec_.minimize.empty() ? -1 : 1; }
  const SweepRow& evaluate(const double* u);
  double objective(const double* u);
  double constraint(std::size_t k, const double* u);
  std::string search(int algorithm, std::vector<double>& u, long most, double accuracy);

  Mechanism given_;
  OptimizeSpec spec_;
  SearchOptions options_;
  std::vector<Range> ranges_;
  std::vector<std::string> errors_;
  sweep::Variants variants_;
  long most_, evaluated_ = 0;  // runs: allowed, and asked for
  std::vector<double> low_, high_;
  std::optional<sweep::EvaluationLog> log_;
  std::vector<double> last_u_;
  SweepRow last_, best_row_;
  double best_ = std::numeric_limits<double>::infinity(), worst_ = 0;
  std::vector<double> best_u_, history_;
  long failed_ = 0;
  std::string failure_;
  std::exception_ptr thrown_;
  nlopt_opt solver_ = nullptr;

  friend double objective_of(unsigned, const double*, double*, void*);
  friend double constraint_of(unsigned, const double*, double*, void*);
};

struct ConstraintOf {
  Search* search;
  std::size_t number;
};

// NLopt is C: no exception may pass through it.
double objective_of(unsigned, const double* u, double*, void* data) {
  auto* search = static_cast<Search*>(data);
  try {
    return search->objective(u);
  } catch (...) {
    search->thrown_ = std::current_exception();
    nlopt_force_stop(search->solver_);
    return 0;
  }
}

double constraint_of(unsigned, const double* u, double*, void* data) {
  const auto* one = static_cast<const ConstraintOf*>(data);
  try {
    return one->search->constraint(one->number, u);
  } catch (...) {
    one->search->thrown_ = std::current_exception();
    nlopt_force_stop(one->search->solver_);
    return 0;
  }
}

void Search::read_bounds() {
  const auto units = variants_.units();
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const Range& one = ranges_[k];
    if (!variants_.mechanism().parameters.contains(variants_.id(k)))
      errors_.push_back(fmt::format("there is no parameter '{}'; {}", one.name,
                                    expressions::choice_advice(one.name, variants_.known_names())));
    const auto unit = units.find(one.name);
    const auto read = [&](const std::string& text) {
      return sweep::read_quantity(text, unit == units.end() ? std::nullopt : std::optional(unit->second));
    };
    try {
      low_.push_back(read(one.low)), high_.push_back(read(one.high));
      if (!(low_.back() < high_.back()))
        errors_.push_back(fmt::format("over '{}={}:{}': the lower bound must be below the upper one",
                                      one.name, one.low, one.high));
    } catch (const std::invalid_argument& error) {
      errors_.push_back(fmt::format("over '{}': {}", one.name, error.what()));
    }
  }
}

std::string Search::description() const {
  const nlohmann::ordered_json told = {{"format", 1},
                                       {"trammel_version", TRAMMEL_VERSION},
                                       {"spec",
                                        {{"minimize", spec_.minimize},
                                         {"maximize", spec_.maximize},
                                         {"over", spec_.over},
                                         {"subject_to", spec_.subject_to},
                                         {"method", spec_.method},
                                         {"evaluations", spec_.evaluations},
                                         {"accuracy", spec_.accuracy},
                                         {"seed", spec_.seed}}},
                                       {"model", variants_.text()}};
  return told.dump(1) + "\n";
}

const SweepRow& Search::evaluate(const double* u) {
  std::vector<double> given(u, u + ranges_.size());
  if (given != last_u_) {
    if (evaluated_ == most_) throw Exhausted();
    ++evaluated_;
    last_ = log_->row(variants_, at(given));
    last_u_ = std::move(given);
  }
  return last_;
}

double Search::constraint(std::size_t k, const double* u) {
  const double value = evaluate(u).values[k + 1];
  return std::isfinite(value) ? value : 1e3;
}

double Search::objective(const double* u) {
  const SweepRow& row = evaluate(u);
  const double value = sign() * row.values[0];
  const auto runs = static_cast<std::size_t>(evaluated_);  // one more than the history has, or the same run
  if (!std::isfinite(value)) {
    if (history_.size() < runs) ++failed_;
    failure_ = row.message.empty() ? "the observation has no value" : row.message;
    history_.resize(runs, sign() * best_);
    return worst_ + 1 + std::abs(worst_);  // worse than anything that was found
  }
  worst_ = std::max(worst_, value);
  const bool allowed =
      std::all_of(row.values.begin() + 1, row.values.end(), [](double c) { return c <= 1e-9; });
  if (allowed && value < best_) best_ = value, best_row_ = row, best_u_.assign(u, u + ranges_.size());
  history_.resize(runs, sign() * best_);
  return value;
}

// What ended it, if that is no success.
std::string Search::search(int algorithm, std::vector<double>& u, long most, double accuracy) {
  const auto n = static_cast<unsigned>(u.size());
  const std::unique_ptr<std::remove_pointer_t<nlopt_opt>, void (*)(nlopt_opt)> solver(
      nlopt_create(static_cast<nlopt_algorithm>(algorithm), n), nlopt_destroy);
  solver_ = solver.get();
  nlopt_srand(static_cast<unsigned long>(spec_.seed));
  nlopt_set_lower_bounds1(solver_, 0);
  nlopt_set_upper_bounds1(solver_, 1);
  nlopt_set_min_objective(solver_, objective_of, this);
  nlopt_set_xtol_abs1(solver_, accuracy);
  nlopt_set_maxeval(solver_, static_cast<int>(most));
  nlopt_set_initial_step1(solver_, 0.1);
  std::vector<ConstraintOf> constraints;
  for (std::size_t k = 0; k < spec_.subject_to.size(); ++k) constraints.push_back({this, k});
  for (ConstraintOf& one : constraints) nlopt_add_inequality_constraint(solver_, constraint_of, &one, 1e-9);
  double value = 0;
  const nlopt_result ended = nlopt_optimize(solver_, u.data(), &value);
  solver_ = nullptr;
  if (thrown_) std::rethrow_exception(thrown_);
  if (ended == NLOPT_MAXEVAL_REACHED) return kExhausted;
  if (ended < 0 && ended != NLOPT_ROUNDOFF_LIMITED) return nlopt_result_to_string(ended);
  return {};
}

OptimizeResult Search::run() {
  OptimizeResult result;
  result.names = names();
  const bool bound = !spec_.subject_to.empty();
  std::vector<double> u;
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const double value = variants_.mechanism().parameters.at(variants_.id(k));
    u.push_back(std::clamp((value - low_[k]) / (high_[k] - low_[k]), 0.0, 1.0));
  }
  try {
    if (spec_.method == "global") {
      // Three quarters of the runs look everywhere. NLopt takes 0 for no limit.
      search(bound ? NLOPT_GN_ISRES : NLOPT_GN_CRS2_LM, u, std::max(most_ * 3 / 4, 1L), 1e-3);
      if (!best_u_.empty()) u = best_u_;
    }
    const bool one = u.size() == 1 && !bound;
    // BOBYQA needs two parameters.
    result.message = search(bound ? NLOPT_LN_COBYLA
                            : one ? NLOPT_LN_SBPLX
                                  : NLOPT_LN_BOBYQA,
                            u, std::max(most_ - static_cast<long>(history_.size()), 1L), spec_.accuracy);
    result.converged = result.message.empty() && !best_u_.empty();
  } catch (const Exhausted& end) {
    result.message = end.what();
  } catch (const sweep::EvaluationLog::Stopped&) {
    result.message = "stopped";
  }
  result.runs = log_->computed(), result.resumed = log_->known(), result.failed = failed_;
  result.history = history_;
  if (best_u_.empty()) {
    result.converged = false;
    if (result.message != "stopped")
      result.message = failure_.empty()
                           ? "no values meet the constraints"
                           : fmt::format("no run gives a value that meets the constraints: {}", failure_);
    return result;
  }
  result.values = at(best_u_);
  result.objective = sign() * best_;
  result.constraints.assign(best_row_.values.begin() + 1, best_row_.values.end());
  result.model = sweep::text_with_values(given_, variants_, result.values);
  return result;
}

}  // namespace

OptimizeResult optimize(const Mechanism& mechanism, const OptimizeSpec& spec, const SearchOptions& options) {
  return Search(mechanism, spec, options).run();
}

#endif

}  // namespace trammel
