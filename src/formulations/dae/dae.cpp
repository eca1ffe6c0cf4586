#include "formulations/dae/dae.h"

#ifdef TRAMMEL_SUNDIALS

#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "formulations/dae/dae_equations.h"
#include "formulations/matrices/kkt.h"
#include "formulations/projection/projection.h"
#include "formulations/reactions/work.h"
#include "formulations/rows/rank_watch.h"
#include "formulations/rows/rows.h"

namespace trammel::formulations {
namespace {

constexpr long kMostSteps = 1'000'000;
// A step of less than ten units of round-off in t gets nowhere; times closer than that are the same.
constexpr double kLeastStep = 10 * std::numeric_limits<double>::epsilon();
// Positive, as IDA asks, and too small to count.
constexpr double kNoWeight = 1e-100;

std::span<double> view(N_Vector y) {
  return {N_VGetArrayPointer(y), static_cast<std::size_t>(N_VGetLength(y))};
}

// IDA's objects, freed in the reverse order.
struct Solver {
  SUNContext context = nullptr;
  N_Vector y = nullptr, y_dot = nullptr, differential = nullptr;
  N_Vector middle = nullptr, middle_dot = nullptr;  // within a step
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* memory = nullptr;

  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() {
    if (memory) IDAFree(&memory);
    if (linear) SUNLinSolFree(linear);
    if (matrix) SUNMatDestroy(matrix);
    for (N_Vector vector : {middle_dot, middle, differential, y_dot, y})
      if (vector) N_VDestroy(vector);
    if (context) SUNContext_Free(&context);
  }
};

void check(int flag) {
  if (flag != 0) throw std::logic_error(fmt::format("IDA refused its setup ({})", flag));
}

class Dae final : public forms::StepForm {
 public:
  Dae(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);

  StepResult step(State& state, double h) override;
  void prepare(State&) override { history_ = false; }
  bool follows_work() const override { return true; }
  std::string refusal(const State& state) override {
    if (system_->recursive_solver())
      return "dae takes the mass matrix as such, and relative coordinates do not form it; use natural "
             "coordinates, or augmented-lagrangian-index3";
    if (system_->sizes().q != system_->sizes().v)
      return "dae takes positions whose rates are the velocities, which Euler parameters are not; use "
             "natural "
             "coordinates, or augmented-lagrangian-index3";
    return watch_.refusal(name(), equations_.terms_at(state));
  }
  std::string name() const override { return "dae"; }
  long rejected() const override { return rejected_; }

 private:
  static int residual(double t, N_Vector y, N_Vector y_dot, N_Vector F, void* self);
  static int jacobian(double t, double c, N_Vector y, N_Vector y_dot, N_Vector F, SUNMatrix J, void* self,
                      N_Vector, N_Vector, N_Vector);
  static int weights(N_Vector y, N_Vector weight, void* self);
  void make_vectors();
  void make_matrix();
  void make_memory();
  bool goes_on(const State& state) const;
  [[nodiscard]] Report start(const State& state);
  [[nodiscard]] Report integrate(double t_end);
  void add_work(double h);
  [[nodiscard]] Report accelerations(State& s);
  [[nodiscard]] Report complete(State& s, Violation& left);
  long failures() const;  // of internal steps since the history began
  Report why(int flag, double t);

  std::shared_ptr<const system::Dynamics> system_;
  double tolerance_;
  DaeEquations equations_;
  KktMatrix whole_;
  Projector projector_;
  RankWatch watch_;
  Solver solver_;
  State trial_, left_, middle_;
  std::vector<double> side_;
  bool history_ = false;  // IDA holds the history of left_
  long rejected_ = 0;

  // Of the call in progress.
  int evaluations_ = 0;
  bool finite_ = true;  // the last evaluation
  std::exception_ptr thrown_;
};

Dae::Dae(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan)
    : system_(std::move(system)),
      tolerance_(plan.tolerance > 0 ? plan.tolerance : kDefaultTolerance),
      equations_(system_),
      whole_(*system_),
      projector_(*system_, SolverChoice::automatic),
      watch_(*system_, true),
      side_(static_cast<std::size_t>(system_->sizes().v + system_->sizes().rows), 0) {
  check(SUNContext_Create(nullptr, &solver_.context));
  // Relative coordinates, which are refused, may be none.
  if (equations_.size() == 0) return;
  make_vectors();
  make_matrix();
  make_memory();
}

void Dae::make_vectors() {
  const auto n = static_cast<sunindextype>(equations_.size());
  for (N_Vector* vector :
       {&solver_.y, &solver_.y_dot, &solver_.differential, &solver_.middle, &solver_.middle_dot}) {
    *vector = N_VNew_Serial(n, solver_.context);
    if (!*vector) throw std::bad_alloc();
    N_VConst(0, *vector);
  }
  const std::span<double> id = view(solver_.differential);
  std::fill_n(id.begin(), equations_.differential(), 1.0);
}

void Dae::make_matrix() {
  Solver& s = solver_;
  const auto n = static_cast<sunindextype>(equations_.size());
  const auto entries = static_cast<sunindextype>(equations_.row().size());
  s.matrix = SUNSparseMatrix(n, n, entries, CSC_MAT, s.context);
  s.linear = SUNLinSol_KLU(s.y, s.matrix, s.context);
  if (!s.matrix || !s.linear) throw std::bad_alloc();
}

void Dae::make_memory() {
  Solver& s = solver_;
  s.memory = IDACreate(s.context);
  if (!s.memory) throw std::bad_alloc();
  check(IDASetErrHandlerFn(
      s.memory, [](int, const char*, const char*, char*, void*) {}, nullptr));
  check(IDAInit(s.memory, residual, 0, s.y, s.y_dot));
  check(IDASetUserData(s.memory, this));
  check(IDAWFtolerances(s.memory, weights));
  check(IDASetId(s.memory, s.differential));
  check(IDASetSuppressAlg(s.memory, SUNTRUE));
  check(IDASetLinearSolver(s.memory, s.linear, s.matrix));
  check(IDASetJacFn(s.memory, jacobian));
}

// F for IDA; a number that is not finite asks it to try a smaller step. No exception may pass through its C
// frames.
int Dae::residual(double t, N_Vector y, N_Vector y_dot, N_Vector F, void* self) {
  auto& me = *static_cast<Dae*>(self);
  ++me.evaluations_;
  try {
    me.finite_ = me.equations_.residual(t, view(y), view(y_dot), view(F));
    return me.finite_ ? 0 : 1;
  } catch (...) {
    me.thrown_ = std::current_exception();
    return -1;
  }
}

// IDA clears the matrix before each call, its pattern too.
int Dae::jacobian(double t, double c, N_Vector y, N_Vector y_dot, N_Vector, SUNMatrix J, void* self, N_Vector,
                  N_Vector, N_Vector) {
  auto& me = *static_cast<Dae*>(self);
  try {
    const std::vector<int>&start = me.equations_.start(), &row = me.equations_.row();
    std::copy(start.begin(), start.end(), SUNSparseMatrix_IndexPointers(J));
    std::copy(row.begin(), row.end(), SUNSparseMatrix_IndexValues(J));
    me.finite_ = me.equations_.jacobian(t, c, view(y), view(y_dot), {SUNSparseMatrix_Data(J), row.size()});
    return me.finite_ ? 0 : 1;
  } catch (...) {
    me.thrown_ = std::current_exception();
    return -1;
  }
}

// 1 / (tolerance · max(|y|, scale)); the mean square is that of q, v and x alone.
int Dae::weights(N_Vector y, N_Vector weight, void* self) {
  const auto& me = *static_cast<Dae*>(self);
  const std::vector<double>& scale = me.equations_.scale();
  const std::span<const double> value = view(y);
  const std::span<double> w = view(weight);
  const double share = std::sqrt(static_cast<double>(w.size()) / static_cast<double>(scale.size()));
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = i < scale.size() ? share / (me.tolerance_ * std::max(std::abs(value[i]), scale[i])) : kNoWeight;
  return 0;
}

// The state that the last step left, but for its time's last digits, which a run may set.
bool Dae::goes_on(const State& s) const {
  return history_ && std::abs(s.t - left_.t) <= kLeastStep * std::abs(s.t) && s.q == left_.q &&
         s.v == left_.v && s.x == left_.x && s.inputs == left_.inputs && s.after == left_.after;
}

Report Dae::accelerations(State& s) {
  Report report;
  const system::Terms& terms = equations_.terms_at(s);
  const linalg::FactorStatus status = whole_.factor(terms);
  if (status != linalg::FactorStatus::ok) {
    report.outcome = status == linalg::FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
    if (report.outcome == Outcome::singular)
      report.message =
          "the equations cannot be solved here: the constraints depend on each other, or a direction has no "
          "mass; use augmented-lagrangian-index3";
    return report;
  }
  const std::size_t n = s.v.size();
  std::copy(terms.Q.begin(), terms.Q.end(), side_.begin());
  for (std::size_t r = 0; r < s.lambda.size(); ++r) side_[n + r] = -terms.gamma[r];
  whole_.solve(side_);
  std::copy_n(side_.begin(), n, s.a.begin());
  std::copy(side_.begin() + static_cast<std::ptrdiff_t>(n), side_.end(), s.lambda.begin());
  return report;
}

Report Dae::start(const State& state) {
  trial_ = state;
  Report report = accelerations(trial_);
  if (!report.accepted()) return report;
  equations_.pack(trial_, view(solver_.y), view(solver_.y_dot));
  check(IDAReInit(solver_.memory, state.t, solver_.y, solver_.y_dot));
  return report;
}

// IDA's word in ours.
Report Dae::why(int flag, double t) {
  Report report;
  if (!finite_) {
    report.outcome = Outcome::not_finite;
    return report;
  }
  if (watch_.close_to_singular(equations_.terms_at(trial_), system_->sizes().rows)) {
    report.outcome = Outcome::singular;
    report.message = fmt::format(
        "dae gave up at t = {:.6g} s, next to a singular position where the constraints lose rank; use "
        "augmented-lagrangian-index3",
        t);
    return report;
  }
  const char* what = "it gave up";
  if (flag == IDA_TOO_MUCH_WORK) what = "a million internal steps were not enough";
  if (flag == IDA_TOO_MUCH_ACC) what = "the tolerance is below round-off";
  if (flag == IDA_ERR_FAIL) what = "the step became too small";
  if (flag == IDA_CONV_FAIL) what = "the iteration did not converge in the smallest step";
  if (flag == IDA_LSETUP_FAIL || flag == IDA_LSOLVE_FAIL) what = "its matrix could not be factored";
  report.outcome = Outcome::not_converged;
  report.message =
      fmt::format("dae: {} at t = {:.6g} s (IDA's code {}); allow a larger tolerance", what, t, flag);
  return report;
}

// Internal steps up to t_end. Turns are counted at each, so that a joint may turn any number of times between
// two rows.
Report Dae::integrate(double t_end) {
  void* const memory = solver_.memory;
  check(IDASetStopTime(memory, t_end));
  check(IDASetMinStep(memory, kLeastStep * std::abs(t_end)));
  double t = trial_.t;
  for (long steps = 0;; ++steps) {
    const int flag = steps == kMostSteps
                         ? IDA_TOO_MUCH_WORK
                         : IDASolve(memory, t_end, &t, solver_.y, solver_.y_dot, IDA_ONE_STEP);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (flag < 0) IDAGetCurrentTime(memory, &t);
    const double h = t - trial_.t;
    equations_.unpack(t, view(solver_.y), view(solver_.y_dot), trial_);
    if (flag < 0) return why(flag, t);
    Report report = accept_angles(*system_, trial_, equations_.scratch(), h);
    if (report.accepted() && system_->has_work() && h > 0) add_work(h);
    if (!report.accepted() || flag == IDA_TSTOP_RETURN) return report;
    if (system_->sizes().angles > 0) equations_.carry(trial_);
  }
}

// The work of the internal step that ends in trial_, by Simpson's rule: IDA's steps are too long for a rule
// of lower order.
void Dae::add_work(double h) {
  const double t = trial_.t - h / 2;
  check(IDAGetDky(solver_.memory, t, 0, solver_.middle));
  check(IDAGetDky(solver_.memory, t, 1, solver_.middle_dot));
  middle_ = trial_;
  equations_.unpack(t, view(solver_.middle), view(solver_.middle_dot), middle_);
  formulations::add_work(*system_, equations_.scratch(), middle_, trial_, h);
}

Report Dae::complete(State& s, Violation& left) {
  const Report report = accelerations(s);
  if (!report.accepted()) return report;
  left = projector_.violation(s);
  return watch_.see(s, equations_.terms_at(s), system_->sizes().rows);
}

long Dae::failures() const {
  long errors = 0, iterations = 0;
  IDAGetNumErrTestFails(solver_.memory, &errors);
  IDAGetNumNonlinSolvConvFails(solver_.memory, &iterations);
  return errors + iterations;
}

StepResult Dae::step(State& state, double h) {
  assert(h > 0);
  StepResult result;
  evaluations_ = 0;
  finite_ = true;
  equations_.carry(state);
  const bool went_on = goes_on(state);
  if (!went_on) result.report = start(state);
  history_ = false;  // until the step has succeeded
  const double t_end = state.t + h;
  trial_ = state;
  if (result.report.accepted()) {
    const long before = failures();
    result.report = integrate(t_end);
    rejected_ += failures() - before;
    // A history that no longer serves is given up before the step is.
    if (!result.report.accepted() && went_on && start(state).accepted()) {
      ++rejected_;
      result.report = integrate(t_end);
    }
  }
  trial_.t = t_end;
  if (result.report.accepted()) result.report = complete(trial_, result.violation);
  result.iterations = result.report.iterations = evaluations_;
  if (!result.report.accepted()) return result;
  std::swap(state, trial_);
  left_ = state;
  history_ = true;
  return result;
}

}  // namespace

bool dae_available() { return true; }
std::unique_ptr<forms::StepForm> make_dae(std::shared_ptr<const system::Dynamics> system,
                                          const ResolvedPlan& plan) {
  return std::make_unique<Dae>(std::move(system), plan);
}

}  // namespace trammel::formulations

#else

namespace trammel::formulations {

bool dae_available() { return false; }
std::unique_ptr<forms::StepForm> make_dae(std::shared_ptr<const system::Dynamics>, const ResolvedPlan&) {
  return nullptr;
}

}  // namespace trammel::formulations

#endif
