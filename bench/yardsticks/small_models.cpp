// The small mechanisms: their elements in order, their rows, their masses.
#include "yardsticks/small_models.h"

#include "yardsticks/dense.h"
#include "yardsticks/index3.h"

namespace trammel::bench {
namespace {

constexpr double kGravity = 9.81;

struct NoStiffness {
  template <class Matrix>
  static void add_stiffness(const double*, const double*, double, double, Matrix&) {}
};

// Uniform slender rods between points: m/3 at each end, m/6 between.
struct DoubleFourBar : NoStiffness {
  static constexpr int kDim = 2, kFree = 3;
  static constexpr double kFixed[][2] = {{0, 0}, {1, 0}, {2, 0}};
  static constexpr std::array<RowShape, 5> kRows{{{0, 3, kNone, 1, 1},
                                                  {1, 4, kNone, 1, 1},
                                                  {2, 5, kNone, 1, 1},
                                                  {1, 0, kNone, 1, 1},
                                                  {2, 1, kNone, 1, 1}}};
  static constexpr std::array<MassShape, 5> kMass{
      {{0, 0, 2.0 / 3}, {0, 1, 1.0 / 6}, {1, 1, 1}, {1, 2, 1.0 / 6}, {2, 2, 2.0 / 3}}};
  static constexpr std::array<double, 3> kEffective{2.0 / 3, 1, 2.0 / 3}, kScale{1, 1, 1};
  static void force(const double*, const double*, double* Q) {
    Q[0] = Q[2] = Q[4] = 0;
    Q[1] = Q[5] = -kGravity;
    Q[3] = -1.5 * kGravity;
  }
};

// P2 e2 P3 e3 P4 e4 P5 e5; fixed P1 P6 and the axes y and x of the outer hinges.
struct Bricard : NoStiffness {
  static constexpr int kDim = 3, kFree = 8, P1 = 8, P6 = 9, kY = 10, kX = 11;
  static constexpr double kFixed[][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  // Of each rod: perpendicular to the hinge behind it, the hinges to each other, its length, perpendicular to
  // the hinge ahead, that hinge's length.
  static constexpr std::array<RowShape, 24> kRows{
      {{0, P1, kY, 0, 1},       {1, kNone, kY, 0, 1},    {0, P1, kNone, 1, 1},    {0, P1, 1, 0, 1},
       {1, kNone, kNone, 1, 1}, {2, 0, kNone, 1, 1},     {2, 0, 1, 0, 1},         {2, 0, 3, 0, 1},
       {1, kNone, 3, 0, 1},     {3, kNone, kNone, 1, 1}, {4, 2, kNone, 1, 1},     {4, 2, 3, 0, 1},
       {4, 2, 5, 0, 1},         {3, kNone, 5, 0, 1},     {5, kNone, kNone, 1, 1}, {6, 4, kNone, 1, 1},
       {6, 4, 5, 0, 1},         {6, 4, 7, 0, 1},         {5, kNone, 7, 0, 1},     {7, kNone, kNone, 1, 1},
       {6, P6, kX, 0, 1},       {7, kNone, kX, 0, 1},    {6, P6, kNone, 1, 1},    {6, P6, 7, 0, 1}}};
  static constexpr std::array<MassShape, 7> kMass{{{0, 0, 2.0 / 3},
                                                   {0, 2, 1.0 / 6},
                                                   {2, 2, 2.0 / 3},
                                                   {2, 4, 1.0 / 6},
                                                   {4, 4, 2.0 / 3},
                                                   {4, 6, 1.0 / 6},
                                                   {6, 6, 2.0 / 3}}};
  static constexpr double kRod = 2.0 / 3, kAxis = 0.1;  // a massless axis counts as a twentieth of its rods
  static constexpr std::array<double, 8> kEffective{kRod, kAxis, kRod, kAxis, kRod, kAxis, kRod, kAxis},
      kScale{1, 1, 1, 1, 1, 1, 1, 1};
  static void force(const double*, const double*, double* Q) {
    std::fill_n(Q, 24, 0.0);
    for (int e = 0; e < kFree; e += 2) Q[3 * e + 1] = -kGravity;
  }
};

// Square bars of side L/10: ∫x² along and ∫y² = ∫z² beside their axis, from the end.
constexpr double along(double m, double L) { return m * L * L / 3; }
constexpr double beside(double m, double L) { return m * L * L / 1200; }

// Bars along x with two square directions of their own: P1 e1 f1, P2 z e2 (z is the hinge), e3 x3 (x3 runs up
// the third bar).
struct ThreeLink : NoStiffness {
  static constexpr int kDim = 3, kFree = 8, kTop = 8;
  static constexpr double kFixed[][3] = {{0, 0, 0}};
  static constexpr std::array<RowShape, 17> kRows{{{0, kTop, kNone, 1, 1},
                                                   {0, kTop, 1, 0, 1},
                                                   {0, kTop, 2, 0, 1},
                                                   {1, kNone, kNone, 1, 1},
                                                   {1, kNone, 2, 0, 1},
                                                   {2, kNone, kNone, 1, 1},
                                                   {3, 0, kNone, 4, 4},
                                                   {3, 0, 4, 0, 2},
                                                   {3, 0, 5, 0, 2},
                                                   {4, kNone, kNone, 1, 1},
                                                   {4, kNone, 5, 0, 1},
                                                   {5, kNone, kNone, 1, 1},
                                                   {4, kNone, 6, 0, 1},
                                                   {4, kNone, 7, 0, 1},
                                                   {6, kNone, kNone, 1, 1},
                                                   {6, kNone, 7, 0, 1},
                                                   {7, kNone, kNone, 1, 1}}};
  static constexpr double m1 = 1, m2 = 8, m3 = 15.625;
  static constexpr std::array<MassShape, 10> kMass{{{0, 0, along(m1, 1) + along(m2, 2) / 4},
                                                    {0, 3, m2 / 2 - along(m2, 2) / 4},
                                                    {1, 1, beside(m1, 1)},
                                                    {2, 2, beside(m1, 1)},
                                                    {3, 3, along(m2, 2) / 4 + m3},
                                                    {3, 7, -m3 * 1.25},
                                                    {4, 4, beside(m2, 2) + beside(m3, 2.5)},
                                                    {5, 5, beside(m2, 2)},
                                                    {6, 6, beside(m3, 2.5)},
                                                    {7, 7, along(m3, 2.5)}}};
  static constexpr std::array<double, 8> kEffective{along(m1, 1) + along(m2, 2) / 4,
                                                    0.0125,
                                                    0.0125,
                                                    along(m2, 2) / 4 + m3,
                                                    0.05 * 32.4140625,
                                                    0.4,
                                                    0.05 * 24.4140625,
                                                    along(m3, 2.5)};
  static constexpr std::array<double, 8> kScale{1.25, 1, 1, 1.25, 1, 1, 1, 1};
  static void force(const double*, const double*, double* Q) {
    constexpr double g[3] = {-5, -5 * 1.4142135623730951, -5};
    std::fill_n(Q, 24, 0.0);
    for (int k = 0; k < 3; ++k) {
      Q[k] = (0.5 * m1 + 0.5 * m2) * g[k];
      Q[9 + k] = (0.5 * m2 + m3) * g[k];
      Q[21 + k] = -1.25 * m3 * g[k];
    }
  }
};

// How a body between two points L apart divides its mass among them, its centre at c along and s across from
// the near one.
struct Share {
  double near, far, between;
};
constexpr Share share(double m, double inertia, double c, double s, double L) {
  const double polar = (inertia + m * (c * c + s * s)) / (L * L);
  return {m - 2 * m * c / L + polar, polar, m * c / L - polar};
}

// F E G H; fixed O A B.
struct Andrews {
  static constexpr int kDim = 2, kFree = 4, O = 4, A = 5, B = 6;
  static constexpr double kFixed[][2] = {{0, 0}, {-0.06934, -0.00227}, {-0.03635, 0.03273}};
  static constexpr double rr = 0.007, d = 0.028, ss = 0.035, e = 0.02, zf = 0.02, zt = 0.04, u = 0.04;
  static constexpr std::array<RowShape, 7> kRows{{{0, O, kNone, rr* rr, rr* rr},
                                                  {0, 1, kNone, d* d, d* d},
                                                  {1, B, kNone, ss* ss, ss* ss},
                                                  {2, 1, kNone, e* e, e* e},
                                                  {2, A, kNone, zt* zt, zt* zt},
                                                  {3, 1, kNone, zf* zf, zf* zf},
                                                  {3, A, kNone, u* u, u* u}}};
  static constexpr Share K1 = share(0.04325, 2.194e-6, 0.00092, 0, rr),
                         K2 = share(0.00365, 4.410e-7, 0.0115, 0, d),
                         K3 = share(0.02373, 5.255e-6, 0.01874, 0.01043, ss),
                         K4 = share(0.00706, 5.667e-7, 0.02 - 0.01421, 0, e),
                         K5 = share(0.07050, 1.169e-5, 0.02308, 0.00916, zt),
                         K6 = share(0.00706, 5.667e-7, zf - 0.01421, 0, zf),
                         K7 = share(0.05498, 1.912e-5, 0.01228, 0.00449, u);
  static constexpr std::array<MassShape, 7> kMass{{{0, 0, K1.far + K2.near},
                                                   {0, 1, K2.between},
                                                   {1, 1, K2.far + K3.far + K4.far + K6.far},
                                                   {1, 2, K4.between},
                                                   {1, 3, K6.between},
                                                   {2, 2, K4.near + K5.far},
                                                   {3, 3, K6.near + K7.far}}};
  static constexpr std::array<double, 4> kEffective{kMass[0].mass, kMass[2].mass, kMass[5].mass,
                                                    kMass[6].mass};
  static constexpr double kSize = 0.02808128380256145;
  static constexpr std::array<double, 4> kScale{kSize, kSize, kSize, kSize};

  // D = B + p (E − B) + r ⟂(E − B): the spring's end on K3, of which E − B = (0, −ss) in its own axes.
  static constexpr double kStiffness = 4530, kFreeLength = 0.07785, kTorque = 0.033;
  static constexpr double Cx = 0.014, Cy = 0.072, p = 0.018 / ss, r = 0.02 / ss;
  struct Spring {
    double dx, dy, length;
  };
  static Spring spring(const double* q) {
    const double ex = q[2] - kFixed[2][0], ey = q[3] - kFixed[2][1];
    const double dx = Cx - (kFixed[2][0] + p * ex - r * ey), dy = Cy - (kFixed[2][1] + p * ey + r * ex);
    return {dx, dy, std::sqrt(dx * dx + dy * dy)};
  }
  static void force(const double* q, const double*, double* Q) {
    const double arm = kTorque / (rr * rr);
    Q[0] = -arm * q[1];
    Q[1] = arm * q[0];
    const Spring s = spring(q);
    const double tension = kStiffness * (s.length - kFreeLength) / s.length;
    Q[2] = tension * (p * s.dx + r * s.dy);
    Q[3] = tension * (p * s.dy - r * s.dx);
    Q[4] = Q[5] = Q[6] = Q[7] = 0;
  }
  // The symmetric part of K; that of the torque has none.
  template <class Matrix>
  static void add_stiffness(const double* q, const double*, double factor, double, Matrix& T) {
    const Spring s = spring(q);
    const double tension = kStiffness * (1 - kFreeLength / s.length);
    const double slope = kStiffness * kFreeLength / (s.length * s.length * s.length);
    const double gx = p * s.dx + r * s.dy, gy = p * s.dy - r * s.dx;
    const double across = tension * (p * p + r * r);
    T[2][2] += factor * (across + slope * gx * gx);
    T[2][3] += factor * slope * gx * gy;
    T[3][3] += factor * (across + slope * gy * gy);
  }
};

}  // namespace

std::unique_ptr<Yardstick> make_small_yardstick(const std::string& problem, const State& start) {
  if (problem == "double-four-bar") return std::make_unique<Index3<Dense<DoubleFourBar>>>(start);
  if (problem == "bricard") return std::make_unique<Index3<Dense<Bricard>>>(start);
  if (problem == "three-link-pendulum") return std::make_unique<Index3<Dense<ThreeLink>>>(start);
  if (problem == "andrews") return std::make_unique<Index3<Dense<Andrews>>>(start);
  return nullptr;
}

}  // namespace trammel::bench
