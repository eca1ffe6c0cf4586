#include "integrators/cvode.h"

#ifdef TRAMMEL_SUNDIALS

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "integrators/ode_step.h"

namespace trammel::integrators {
namespace {

constexpr long kMostInternalSteps = 1'000'000;
// A step of less than ten units of round-off in t gets nowhere.
constexpr double kLeastInternalStep = 10 * std::numeric_limits<double>::epsilon();

std::span<double> view(N_Vector y) {
  return {N_VGetArrayPointer(y), static_cast<std::size_t>(N_VGetLength(y))};
}

// CVODE's objects for one size of y, freed in the reverse order.
struct Solver {
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  void* memory = nullptr;

  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() {
    if (memory) CVodeFree(&memory);
    if (nonlinear) SUNNonlinSolFree(nonlinear);
    if (linear) SUNLinSolFree(linear);
    if (matrix) SUNMatDestroy(matrix);
    if (y) N_VDestroy(y);
    if (context) SUNContext_Free(&context);
  }
};

// What must be the same for CVODE's history to go on.
struct Left {
  double t = 0;
  std::vector<double> q, v, x, inputs;

  void take(const State& state) {
    t = state.t;
    q = state.q;
    v = state.v;
    x = state.x;
    inputs = state.inputs;
  }
  // The time may differ in its last digits, which a run sets to whole numbers of steps.
  bool is(const State& state) const {
    return std::abs(t - state.t) <= kLeastInternalStep * std::abs(t) && q == state.q && v == state.v &&
           x == state.x && inputs == state.inputs;
  }
};

void check(int flag) {
  if (flag != 0) throw std::logic_error(fmt::format("CVODE refused its setup ({})", flag));
}

class Cvode final : public OdeIntegrator {
 public:
  Cvode(CvodeMethod method, const OdeOptions& options) : method_(method), options_(options) {}

  [[nodiscard]] StepResult step(forms::OdeForm& form, State& state, double h) override;
  void prepare(State&) override { history_ = nullptr; }
  long rejected() const override { return rejected_; }
  int order() const override { return method_ == CvodeMethod::adams ? 12 : 5; }

 private:
  static int rate(double t, N_Vector y, N_Vector y_dot, void* self);
  static int weights(N_Vector y, N_Vector weight, void* self);
  void make(std::size_t n, double t);
  void start(double t);
  [[nodiscard]] bool integrate(double t_end, StepResult& result);
  Report why(int flag, double t) const;

  CvodeMethod method_;
  OdeOptions options_;
  std::unique_ptr<Solver> solver_;
  const forms::OdeForm* history_ = nullptr;  // the form whose history CVODE holds
  Left left_;
  State trial_;
  std::vector<double> packed_;
  long rejected_ = 0;

  // Of the call in progress.
  forms::OdeForm* form_ = nullptr;
  int evaluations_ = 0;
  Report failed_;  // of f, when its last evaluation failed
  Report marked_;
  std::exception_ptr thrown_;
};

// f for CVODE; a failure asks it to try a smaller step. No exception may pass through its C frames.
int Cvode::rate(double t, N_Vector y, N_Vector y_dot, void* self) {
  auto& me = *static_cast<Cvode*>(self);
  ++me.evaluations_;
  try {
    Report report = me.form_->rate(t, view(y), view(y_dot));
    if (report.accepted() && !math::all_finite(view(y_dot))) report = not_finite(t);
    if (!report.accepted()) {
      me.failed_ = std::move(report);
      return 1;
    }
    me.failed_ = {};
    merge_mark(report, me.marked_);
    return 0;
  } catch (...) {
    me.thrown_ = std::current_exception();
    return -1;
  }
}

// 1 / (tolerance · unit of the error)
int Cvode::weights(N_Vector y, N_Vector weight, void* self) {
  const auto& me = *static_cast<Cvode*>(self);
  const std::span<const double> value = view(y), scale = me.form_->scale();
  const std::span<double> w = view(weight);
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = 1 / (me.options_.tolerance * error_unit(value[i], scale[i]));
  return 0;
}

void Cvode::make(std::size_t n, double t) {
  const bool adams = method_ == CvodeMethod::adams;
  const auto size = static_cast<sunindextype>(n);
  solver_ = std::make_unique<Solver>();
  Solver& s = *solver_;
  check(SUNContext_Create(nullptr, &s.context));
  s.y = N_VNew_Serial(size, s.context);
  s.memory = CVodeCreate(adams ? CV_ADAMS : CV_BDF, s.context);
  if (!s.y || !s.memory) throw std::bad_alloc();
  check(CVodeSetErrHandlerFn(
      s.memory, [](int, const char*, const char*, char*, void*) {}, nullptr));
  N_VConst(0, s.y);
  check(CVodeInit(s.memory, rate, t, s.y));
  check(CVodeSetUserData(s.memory, this));
  check(CVodeWFtolerances(s.memory, weights));
  check(CVodeSetMaxNumSteps(s.memory, kMostInternalSteps));
  check(CVodeSetMaxHnilWarns(s.memory, -1));
  if (adams) {
    s.nonlinear = SUNNonlinSol_FixedPoint(s.y, 0, s.context);
    check(CVodeSetNonlinearSolver(s.memory, s.nonlinear));
  } else {
    s.matrix = SUNDenseMatrix(size, size, s.context);
    s.linear = SUNLinSol_Dense(s.y, s.matrix, s.context);
    check(CVodeSetLinearSolver(s.memory, s.linear, s.matrix));
  }
}

void Cvode::start(double t) {
  if (!solver_ || view(solver_->y).size() != packed_.size()) make(packed_.size(), t);
  std::copy(packed_.begin(), packed_.end(), view(solver_->y).begin());
  check(CVodeReInit(solver_->memory, t, solver_->y));
}

// CVODE's word in ours; where f failed, its own report.
Report Cvode::why(int flag, double t) const {
  const bool by_f = flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR ||
                    flag == CV_UNREC_RHSFUNC_ERR || flag == CV_CONV_FAILURE || flag == CV_LSETUP_FAIL;
  if (by_f && !failed_.accepted()) return failed_;
  const char* what = "it gave up";
  if (flag == CV_TOO_MUCH_WORK) what = "a million internal steps were not enough";
  if (flag == CV_TOO_MUCH_ACC) what = "the tolerance is below round-off";
  if (flag == CV_ERR_FAILURE) what = "the step became too small";
  if (flag == CV_CONV_FAILURE) what = "the iteration did not converge in the smallest step";
  const bool adams = method_ == CvodeMethod::adams;
  Report report;
  report.outcome = Outcome::not_converged;
  report.message = fmt::format("{}: {} at t = {:.6g} s (CVODE's code {}); allow a larger tolerance{}",
                               adams ? "cvode-adams" : "cvode-bdf", what, t, flag,
                               adams ? ", or use cvode-bdf if the motion is stiff" : "");
  return report;
}

bool Cvode::integrate(double t_end, StepResult& result) {
  void* const memory = solver_->memory;
  long before = 0, after = 0, steps_before = 0, steps_after = 0;
  double t = 0;
  CVodeGetNumErrTestFails(memory, &before);
  CVodeGetNumSteps(memory, &steps_before);
  check(CVodeSetStopTime(memory, t_end));
  check(CVodeSetMinStep(memory, kLeastInternalStep * std::abs(t_end)));
  const int flag = CVode(memory, t_end, solver_->y, &t, CV_NORMAL);
  CVodeGetNumErrTestFails(memory, &after);
  CVodeGetNumSteps(memory, &steps_after);
  rejected_ += after - before;
  result.steps = static_cast<int>(steps_after - steps_before);
  result.iterations = evaluations_;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (flag >= 0) {
    result.report = marked_;
  } else {
    CVodeGetCurrentTime(memory, &t);
    result.report = why(flag, t);
  }
  result.report.iterations = evaluations_;
  return flag >= 0;
}

StepResult Cvode::step(forms::OdeForm& form, State& state, double h) {
  assert(h > 0);
  StepResult result;
  form_ = &form;
  evaluations_ = 0;
  failed_ = marked_ = {};
  // Packed even where the history goes on: rates are taken with the angles and memory of the state last
  // packed.
  form.pack(state, packed_);
  const bool moves = !packed_.empty();  // CVODE takes no empty y
  if (moves && (history_ != &form || !left_.is(state))) start(state.t);
  history_ = nullptr;  // until the step has succeeded
  const double t_end = state.t + h;
  if (moves && !integrate(t_end, result)) return result;

  trial_ = state;
  forms::Kept kept;
  if (!complete(form, t_end, moves ? view(solver_->y) : packed_, h, trial_, kept, result)) return result;
  std::swap(state, trial_);
  if (kept == forms::Kept::as_is) {
    history_ = &form;
    left_.take(state);
  }
  return result;
}

}  // namespace

std::unique_ptr<OdeIntegrator> make_cvode(CvodeMethod method, const OdeOptions& options) {
  return std::make_unique<Cvode>(method, options);
}

}  // namespace trammel::integrators

#endif
