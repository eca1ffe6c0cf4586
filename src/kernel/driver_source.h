// The parts of a kernel that are the same for all mechanisms: the loop of a step, lanes of several instances,
// entry points.
//
// Placeholders as @n@ are filled in by export_kernel().
#pragma once

namespace trammel::kernel {

inline constexpr const char* kHead = R"(// @name@: one step of its motion, written out.
//
// Made by Trammel @version@. Do not edit: `trammel export kernel` makes it anew.
//
// Index-3 augmented Lagrangian by the trapezoidal rule, in natural coordinates: @n@ coordinates, @m@ constraints, @operations@ operations in one
// iteration and both projections. `real` is double, or Lanes: several instances side by side. An instance gives the same bits
// whatever its neighbours do.
//
//   trammel_sizes(sizes)                      coordinates, constraints, doubles in a state, instances side by side, constants of an instance
//   trammel_start(state)                      the assembled start of the model: t, q, v, a, λ, angles
//   trammel_constants(constants)              the numbers of the model that an instance may have otherwise
//   trammel_advance(states, constants, count, h, steps, status)
//                                             instances after each other in `states` and in `constants`; status: 0 every step met the full
//                                             criterion, 1 some met the weaker one, 2 a step failed and the instance stands at the step before
#include <math.h>
@lanes@
namespace trammel_kernel {

constexpr int kCoordinates = @n@, kRows = @m@, kAngles = @angles@, kJacobian = @jacobian@, kFactor = @factor@, kConstants = @constants@;
constexpr int kDoubles = 1 + 3 * kCoordinates + kRows + kAngles;  // of a state
constexpr int kMostIterations = @iterations@, kMostSweeps = @sweeps@;
constexpr double kConverged = @convergence@;                       // lengths scaled to one
constexpr double kProjectedVelocity = 1e-13, kProjectedAcceleration = 1e-10, kSlowSweep = 0.01;
constexpr double kClosedVelocity = 1e-10, kClosedAcceleration = 1e-8;
constexpr double kWeakPosition = 1e-7, kWeakVelocity = 1e-3, kWeakIncrement = 1e-6;

)";

inline constexpr const char* kCppLanes = R"(
#define TRAMMEL_FN inline
#if defined(__AVX512F__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));
typedef long long Mask __attribute__((vector_size(kLanes * sizeof(double))));

#define TRAMMEL_LANES_OF_ONE(f) \
  inline Lanes f(Lanes x) { \
    for (int k = 0; k < kLanes; ++k) x[k] = ::f(x[k]); \
    return x; \
  }
TRAMMEL_LANES_OF_ONE(sqrt) TRAMMEL_LANES_OF_ONE(exp) TRAMMEL_LANES_OF_ONE(log) TRAMMEL_LANES_OF_ONE(sin) TRAMMEL_LANES_OF_ONE(cos)
TRAMMEL_LANES_OF_ONE(tan) TRAMMEL_LANES_OF_ONE(asin) TRAMMEL_LANES_OF_ONE(acos) TRAMMEL_LANES_OF_ONE(atan) TRAMMEL_LANES_OF_ONE(sinh)
TRAMMEL_LANES_OF_ONE(cosh) TRAMMEL_LANES_OF_ONE(tanh) TRAMMEL_LANES_OF_ONE(floor) TRAMMEL_LANES_OF_ONE(rint)
inline Lanes fabs(Lanes x) { return x < 0 ? -x : x; }
inline Lanes fmax(Lanes a, Lanes b) { return a < b ? b : a; }
inline Lanes fmin(Lanes a, Lanes b) { return b < a ? b : a; }
inline Lanes atan2(Lanes y, Lanes x) {
  for (int k = 0; k < kLanes; ++k) x[k] = ::atan2(y[k], x[k]);
  return x;
}
inline Lanes pow(Lanes x, double exponent) {
  for (int k = 0; k < kLanes; ++k) x[k] = ::pow(x[k], exponent);
  return x;
}
inline Lanes pow(Lanes x, Lanes exponent) {
  for (int k = 0; k < kLanes; ++k) x[k] = ::pow(x[k], exponent[k]);
  return x;
}
inline Lanes pow(double x, Lanes exponent) { return pow(Lanes{} + x, exponent); }
inline bool some_of(Mask mask) {
  for (int k = 0; k < kLanes; ++k)
    if (mask[k]) return true;
  return false;
}
inline bool some_of(bool mask) { return mask; }
template <class real> struct MaskOf { typedef Mask type; };
template <> struct MaskOf<double> { typedef bool type; };
inline Mask every_of(Mask) { return Mask{} == 0; }
inline bool every_of(bool) { return true; }
inline Mask both(Mask a, Mask b) { return a & b; }
inline bool both(bool a, bool b) { return a && b; }
inline Mask either(Mask a, Mask b) { return a | b; }
inline bool either(bool a, bool b) { return a || b; }
inline Mask but(Mask a, Mask b) { return a & ~b; }
inline bool but(bool a, bool b) { return a && !b; }
template <class real, class M, class A, class B>
inline real choose(M mask, const A& a, const B& b) { return mask ? real{} + a : real{} + b; }
)";

inline constexpr const char* kCudaLanes = R"(
#define TRAMMEL_FN __host__ __device__ inline
template <class real> struct MaskOf { typedef bool type; };
TRAMMEL_FN bool some_of(bool mask) { return mask; }
TRAMMEL_FN bool every_of(bool) { return true; }
TRAMMEL_FN bool both(bool a, bool b) { return a && b; }
TRAMMEL_FN bool either(bool a, bool b) { return a || b; }
TRAMMEL_FN bool but(bool a, bool b) { return a && !b; }
template <class real>
TRAMMEL_FN real choose(bool mask, double a, double b) { return mask ? a : b; }
)";

inline constexpr const char* kLoop = R"(template <class real>
struct State {
  real t[1], q[kCoordinates], v[kCoordinates], a[kCoordinates], lambda[kRows + 1], angle[kAngles + 1];
};

// The largest |x| scaled, NaN counts as infinite.
template <class real>
TRAMMEL_FN real largest(const real* x, const double* scale, int size) {
  real most{};
  for (int k = 0; k < size; ++k) {
    const real one = fabs(x[k]) * scale[k];
    most = choose<real>(one <= most, most, choose<real>(one == one, one, real{} + INFINITY));
  }
  return most;
}

// x ← x − T⁻¹Φ_vᵀ s (Φ_v x + bias) until it is small, or contracts slowly; what is left.
template <class real>
TRAMMEL_FN real project(const real* c, real* x, const real* bias, const real* J, const real* L, const real* s, double enough) {
  constexpr double inverse_scale[] = {@inverse_scale@};
  typename MaskOf<real>::type active = every_of(typename MaskOf<real>::type{});
  real left = real{} + INFINITY, rate[kRows + 1], change[kCoordinates];
  for (int i = 0;; ++i) {
    rates(c, J, x, bias, rate);
    const real now = largest(rate, inverse_scale, kRows);
    const real limit = i > 0 ? kSlowSweep * left : real{} + INFINITY;
    left = choose<real>(active, now, left);
    active = both(both(active, now > enough), both(now <= limit, now < INFINITY));
    if (i == kMostSweeps || !some_of(active)) return left;
    correction(c, J, L, s, rate, change);
    for (int k = 0; k < kCoordinates; ++k) x[k] = choose<real>(active, x[k] - change[k], x[k]);
  }
}

// Several instances, some of which may be done while others go on.
template <class real>
constexpr bool kSideBySide = sizeof(real) > sizeof(double);

// One step; what became of it (status of trammel_advance). After 2 the state means nothing.
template <class real>
TRAMMEL_FN real advance(State<real>& s, const real* c, const real& step) {
  constexpr double inverse_scale[] = {@inverse_scale@};
  constexpr double inverse_size[] = {@inverse_size@};
  typedef typename MaskOf<real>::type mask;
  const real h[1] = {step}, dv = 2 / step, da = 4 / (step * step);
  s.t[0] = s.t[0] + step;
  // first guess: constant acceleration
  for (int k = 0; k < kCoordinates; ++k) {
    s.q[k] = s.q[k] + step * (s.v[k] + 0.5 * step * s.a[k]);
    s.v[k] = s.v[k] + step * s.a[k];
  }
  real Phi[kRows + 1], J[kJacobian + 1], weight[kRows + 1], L[kFactor + 1], delta[kCoordinates];
  real others[kSideBySide<real> ? kFactor + 1 : 1];  // a new factor of those that go on
  real last = real{} + INFINITY, rate = real{} + 1, violation{};
  mask active = every_of(mask{}), done = but(active, active);
  for (int i = 0;; ++i) {
    positions(c, s.q, s.angle, s.t, Phi, J);
    if (i == 0)
      penalties(c, J, weight);
    else
      for (int r = 0; r < kRows; ++r) s.lambda[r] = choose<real>(active, s.lambda[r] + da * weight[r] * Phi[r], s.lambda[r]);
    violation = largest(Phi, inverse_scale, kRows);
    if (i > 0) {
      const mask settled = both(last * fmin(rate, real{} + 1) <= kConverged, violation <= kConverged);
      done = either(done, both(active, settled));
      active = but(active, settled);
      if (i == kMostIterations || !some_of(active)) break;
    }
    real* const factor = kSideBySide<real> ? others : L;
    newton(c, s.q, s.v, s.a, s.lambda, s.angle, s.t, h, weight, Phi, J, factor, delta);
    for (int k = 0; kSideBySide<real> && k < kFactor; ++k) L[k] = i == 0 ? factor[k] : choose<real>(active, factor[k], L[k]);
    const real norm = largest(delta, inverse_size, kCoordinates);
    rate = i > 0 ? norm / last : real{} + 1;
    last = choose<real>(active, norm, last);
    active = both(active, norm < 1e3);
    for (int k = 0; k < kCoordinates; ++k) {
      s.q[k] = choose<real>(active, s.q[k] + delta[k], s.q[k]);
      s.v[k] = choose<real>(active, s.v[k] + dv * delta[k], s.v[k]);
      s.a[k] = choose<real>(active, s.a[k] + da * delta[k], s.a[k]);
    }
  }
  real bias[kRows + 1];
  bias_of_velocities(c, s.q, s.angle, s.t, bias);
  const real velocity = project(c, s.v, bias, J, L, weight, kProjectedVelocity);
  bias_of_accelerations(c, s.q, s.v, s.angle, s.t, bias);
  const real acceleration = project(c, s.a, bias, J, L, weight, kProjectedAcceleration);
  real turned[kAngles + 1];
  angles(c, s.q, s.angle, turned);
  for (int k = 0; k < kAngles; ++k) s.angle[k] = turned[k];

  const mask closed = both(done, both(velocity <= kClosedVelocity, acceleration <= kClosedAcceleration));
  const mask weak = both(both(violation <= kWeakPosition, velocity <= kWeakVelocity), last <= kWeakIncrement);
  return choose<real>(closed, 0.0, choose<real>(weak, 1.0, 2.0));
}

)";

inline constexpr const char* kCppEntries =
    R"(// So many steps; the worst outcome. An instance whose step fails stays where it was before it.
template <class real>
inline real advance_all(State<real>& state, const real* c, const real& h, long steps) {
  real worst{};
  for (long k = 0; k < steps; ++k) {
    State<real> next = state;
    const real outcome = advance(next, c, h);
    const real* from = next.t;
    real* to = state.t;
    worst = fmax(worst, outcome);
    for (int i = 0; i < int(sizeof(State<real>) / sizeof(real)); ++i) to[i] = choose<real>(worst < 2, from[i], to[i]);
    if (!some_of(worst < 2)) break;
  }
  return worst;
}

inline void load(State<double>& state, const double* from) {
  double* const places[] = {state.t, state.q, state.v, state.a, state.lambda, state.angle};
  const int sizes[] = {1, kCoordinates, kCoordinates, kCoordinates, kRows, kAngles};
  for (int part = 0; part < 6; ++part)
    for (int k = 0; k < sizes[part]; ++k) places[part][k] = *from++;
}
inline void load(State<Lanes>& state, const double* from, int lane) {
  Lanes* const places[] = {state.t, state.q, state.v, state.a, state.lambda, state.angle};
  const int sizes[] = {1, kCoordinates, kCoordinates, kCoordinates, kRows, kAngles};
  for (int part = 0; part < 6; ++part)
    for (int k = 0; k < sizes[part]; ++k) places[part][k][lane] = *from++;
}
inline void store(const State<Lanes>& state, double* to, int lane) {
  const Lanes* const places[] = {state.t, state.q, state.v, state.a, state.lambda, state.angle};
  const int sizes[] = {1, kCoordinates, kCoordinates, kCoordinates, kRows, kAngles};
  for (int part = 0; part < 6; ++part)
    for (int k = 0; k < sizes[part]; ++k) *to++ = places[part][k][lane];
}
inline void store(const State<double>& state, double* to) {
  const double* const places[] = {state.t, state.q, state.v, state.a, state.lambda, state.angle};
  const int sizes[] = {1, kCoordinates, kCoordinates, kCoordinates, kRows, kAngles};
  for (int part = 0; part < 6; ++part)
    for (int k = 0; k < sizes[part]; ++k) *to++ = places[part][k];
}

}  // namespace trammel_kernel

extern "C" {

void trammel_sizes(int* sizes) {
  using namespace trammel_kernel;
  sizes[0] = kCoordinates, sizes[1] = kRows, sizes[2] = kDoubles, sizes[3] = kLanes, sizes[4] = kConstants;
}

void trammel_start(double* state) {
  static const double start[] = {@start@};
  for (int k = 0; k < trammel_kernel::kDoubles; ++k) state[k] = start[k];
}

void trammel_constants(double* constants) {
  static const double of_model[] = {@of_model@};
  for (int k = 0; k < trammel_kernel::kConstants; ++k) constants[k] = of_model[k];
}

void trammel_advance(double* states, const double* constants, long count, double h, long steps, int* status) {
  using namespace trammel_kernel;
  // The last instances share their lanes with copies of the last one.
  for (long first = 0; count > 1 && first < count; first += kLanes) {
    State<Lanes> state{};
    Lanes c[kConstants + 1];
    for (int lane = 0; lane < kLanes; ++lane) {
      const long instance = first + lane < count ? first + lane : count - 1;
      load(state, states + kDoubles * instance, lane);
      for (int k = 0; k < kConstants; ++k) c[k][lane] = constants[kConstants * instance + k];
    }
    const Lanes worst = advance_all(state, c, Lanes{} + h, steps);
    for (int lane = 0; lane < kLanes && first + lane < count; ++lane) {
      store(state, states + kDoubles * (first + lane), lane);
      status[first + lane] = int(worst[lane]);
    }
  }
  if (count != 1) return;
  State<double> state{};
  load(state, states);
  const double worst = advance_all(state, constants, h, steps);
  store(state, states);
  status[0] = int(worst);
}

}  // extern "C"
)";

inline constexpr const char* kCudaEntries = R"(}  // namespace trammel_kernel

extern "C" {

void trammel_sizes(int* sizes) {
  using namespace trammel_kernel;
  sizes[0] = kCoordinates, sizes[1] = kRows, sizes[2] = kDoubles, sizes[3] = 1, sizes[4] = kConstants;
}

void trammel_start(double* state) {
  static const double start[] = {@start@};
  for (int k = 0; k < trammel_kernel::kDoubles; ++k) state[k] = start[k];
}

void trammel_constants(double* constants) {
  static const double of_model[] = {@of_model@};
  for (int k = 0; k < trammel_kernel::kConstants; ++k) constants[k] = of_model[k];
}

// One instance a thread. Number k of all states is states[k * count + instance], and so with constants.
__global__ void trammel_advance(double* states, const double* constants, long count, double h, long steps, int* status) {
  using namespace trammel_kernel;
  const long me = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (me >= count) return;
  State<double> state;
  double c[kConstants + 1];
  for (int k = 0; k < kConstants; ++k) c[k] = constants[k * count + me];
  long at = me;
  const auto each = [&](auto&& one) {
    at = me;
    one(state.t[0]);
    for (int k = 0; k < kCoordinates; ++k) one(state.q[k]);
    for (int k = 0; k < kCoordinates; ++k) one(state.v[k]);
    for (int k = 0; k < kCoordinates; ++k) one(state.a[k]);
    for (int k = 0; k < kRows; ++k) one(state.lambda[k]);
    for (int k = 0; k < kAngles; ++k) one(state.angle[k]);
  };
  each([&](double& x) { x = states[at], at += count; });
  double worst = 0;
  for (long k = 0; k < steps && worst < 2; ++k) {
    worst = fmax(worst, advance(state, c, h));
    // A step that fails leaves the one before in `states`: a copy of it would need memory of the thread's own.
    if (worst < 2) each([&](double& x) { states[at] = x, at += count; });
  }
  status[me] = int(worst);
}

}  // extern "C"
)";

}  // namespace trammel::kernel
