// Analyses of a mechanism beside its motion (docs/analyses.md). Each is one function of a Mechanism, whose
// plan says coordinates, duration and output interval.
//
//   const Modes found = solve_modes(mechanism);
//   if (!found.report.accepted()) std::cerr << found.report.message << "\n";
//   for (const VibrationMode& mode : found.modes) std::cout << mode.frequency() << " Hz\n";
//
// All of them throw std::invalid_argument when the mechanism is not valid, or there is no such name. What the
// model does not allow, and numbers that fail, are in `report`: refused the first, anything else the second.
// SI units; bodies are in the order of the mechanism's. trammel/results.h writes files and texts of them.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/motion.h"
#include "trammel/report.h"
#include "trammel/run.h"
#include "trammel/trajectory.h"

namespace trammel {

// Asked now and then while an analysis is computed, on the thread that called it. False ends it: its report
// says that it was interrupted. What the function throws ends it too.
using GoOn = std::function<bool()>;

// Positions: where the joints close from rough places, and the assembly branches. Drivers have their values
// at t = 0; freedoms that nothing drives are held at their start values.
// Starts of a search for branches: at least 1,000, and on until every branch was met 8 times, or 10,000.
inline constexpr long kUntilSettled = -1;
struct PositionsOptions {
  long starts = 0;  // random places from which branches are searched; 0: the position nearest to the model's
  std::uint64_t seed = 1;
  GoOn go_on = {};
};
struct Positions {
  Report report;
  struct Branch {
    std::vector<Pose> poses;
    double residual = 0;  // the largest that is left of Φ, scaled
    long hits = 0;        // starts that led here
    double distance = 0;  // m: the largest move of a point of a body from the first branch to this one
  };
  std::vector<Branch> branches;   // that of the model's own places first, then by distance from it
  std::vector<std::string> held;  // "hinge.angle = 0.3 rad"
  double largest_move = 0;        // m, of a point, from where the model places it
  long starts = 0, closed = 0;    // random places; those from which the joints closed
  double unseen = 0;              // estimated chance that one more start finds an unseen branch
  Trajectory table;  // a row for each branch: its number, places of bodies and points, coordinates
};
Positions solve_positions(const Mechanism& mechanism, const PositionsOptions& options = {});

// Kinematics: positions, velocities and accelerations that drivers prescribe, without masses. What nothing
// drives is held.
//
// A sweep: one coordinate goes through a range instead of time, while everything else rests as at t = 0. It
// moves by 1 rad/s or 1 m/s, so that speeds and accelerations are the derivatives of positions by the
// coordinate.
struct DriverSweep {
  std::string name;         // a driver; or a joint or a body of the plane, driven or not
  double from = 0, to = 0;  // rad or m
  int count = 2;            // of values, both ends included

  // The value of the coordinate at a time.
  double at(double t) const { return to > from ? from + t : from - t; }
};
// Whether the coordinate is an angle, else a length. Throws std::invalid_argument where nothing of that name
// has a single coordinate.
bool sweeps_angle(const Mechanism& mechanism, const DriverSweep& sweep);
struct KinematicsOptions {
  long rows = 0;                         // so many intervals; 0: those of a run
  std::string ratio_to = {};             // a driver, joint or planar body: speeds relative to its speed
  std::vector<std::string> curves = {};  // points whose curve is wanted: velocity, acceleration, curvature
  std::optional<DriverSweep> drive = {};
  GoOn go_on = {};
};
struct SingularPosition {
  double t = 0;             // s
  std::string joint;        // whose speed is undetermined, or grows without bound
  bool turns_back = false;  // a dead position: else motions cross
  double smallest = 0;      // singular value there
};
struct Kinematics {
  Report report;  // where it is not accepted, the rows before may be there
  Trajectory motion;
  std::vector<SingularPosition> singular;
  std::vector<std::string> held;
  std::optional<DriverSweep> drive;  // what was swept instead of time
  std::vector<double> doubtful;      // s, rows next to a singular position whose rates are not known to 1e-6
  std::vector<double> undecided;  // s, next to which a singular position could be neither found nor excluded
  double violation = 0;           // the largest that is left of Φ
  bool still = false;             // nothing moves: no driver depends on time
  bool returned =
      false;  // after a dead position the curve came back to the time of the start, and ends there
};
Kinematics solve_kinematics(const Mechanism& mechanism, const KinematicsOptions& options = {});

// Workspace: every place that a point reaches, over all freedoms and within end-stops. Drivers are left out.
struct WorkspaceOptions {
  std::string point = {};    // a name, BODY.POINT or BODY.com; empty: usual_point()
  double spacing = 0;        // of samples; bodies that move by the mechanism's size or turn by a radian count
                             // as one; 0: as the number of freedoms allows
  std::size_t most = 20000;  // samples
  long starts = 20;          // random positions, for parts that no motion connects
  std::uint64_t seed = 1;
  int cells = 200;  // of the grid along the longer side
  // Asked now and then while positions are sampled: those found, and how many of them have had their
  // neighbours tried. False: the search ends, with what it has.
  std::function<bool(std::size_t found, std::size_t tried)> go_on = {};
};
struct Workspace {
  Report report;
  std::string point;
  struct Place {
    Vec3 at;
    int branch = 0;
  };
  std::vector<Place> points;
  int branches = 0;  // connected parts
  int freedoms = 0;
  bool covered = true;  // false: `most` samples were not enough; so it is wherever the point can go anywhere
  bool interrupted = false;  // go_on() has ended it
  double spacing = 0;
  // In the plane, of two freedoms or more: closed loops, counterclockwise around what is reached, holes
  // clockwise.
  std::vector<std::vector<Vec3>> boundary;
  long refined = 0, rough = 0;  // points of the loops: exact, and known to the grid only
  double grid = 0;              // m, size of a cell
  std::optional<double> area;   // m²; none in space, and where the samples do not cover everything
  double area_error = 0;        // m², estimated
};
Workspace solve_workspace(const Mechanism& mechanism, const WorkspaceOptions& options = {});
// The last point that moves, or the centre of mass of the last body.
std::string usual_point(const Mechanism& mechanism);

// Inverse dynamics: efforts of drivers and reactions that a prescribed motion needs, without integration.
struct InverseOptions {
  long rows = 0;                               // so many intervals; 0: those of a run
  std::map<std::string, double> weights = {};  // by driver; the others have 1
  std::vector<std::string> idle = {};          // drivers that exert nothing
  bool hold = false;                           // freedoms that nothing drives stay at their start values
  GoOn go_on = {};
};
struct InverseDynamics {
  Report report;                  // refused: a freedom is not prescribed, or a name is not there
  Trajectory motion;              // columns of a run, without those that only a run has
  std::vector<std::string> held;  // "A.angle = 0.3 rad"
  bool shared = false;            // more drivers act than there are freedoms, in some row at least
  ReactionSummary reactions;      // which are one choice of many
  std::vector<double> doubtful;   // s, rows next to a singular position: rounding decides on their reactions
  struct Jump {
    double t = 0;  // s
    std::string driver;
  };
  std::vector<Jump> jumps;  // of a driver's speed: an impulse acts there, which no row has
  double violation = 0;     // the largest that is left of Φ
};
InverseDynamics solve_inverse(const Mechanism& mechanism, const InverseOptions& options = {});

// Equilibria: positions in which the forces balance. Drivers hold the positions that they have at t = 0;
// end-stops are left out.
enum class EquilibriumKind {
  stable,
  unstable,
  neutral,   // a direction has no stiffness
  locked,    // a singular position from which no motion leads away
  undecided  // a force has a kink or a jump here, and there are several freedoms
};
const char* to_string(EquilibriumKind kind);
struct EquilibriumOptions {
  bool stable = false;  // the one that lies downhill, instead of the nearest of any kind
  int starts = 0;       // also from so many random positions
  std::uint64_t seed = 1;
  GoOn go_on = {};
};
struct EquilibriumPosition {
  EquilibriumKind kind = EquilibriumKind::stable;
  std::vector<Pose> poses;
  double residual = 0;   // the unbalanced force, as a part of the forces that act
  double potential = 0;  // J, of gravity and linear springs
  // Eigenvalues of the reduced stiffness by the reduced mass, 1/s², ascending; real parts where they are
  // complex. In a singular position the least along the motions that cross there.
  std::vector<double> stiffness;
  bool symmetric = true;  // the stiffness is: the forces have a potential. Else stable means: without damping
  bool singular = false;  // motions cross here, or the mechanism is locked
  bool kinked = false;    // a force has a kink or a jump exactly here: there is no stiffness
  std::vector<std::string> kinks;  // those forces, as far as each can be looked at alone
  std::map<std::string, JointReaction> reactions;
  std::vector<std::string> passed_stops;  // whose limit the position has passed
};
struct Equilibria {
  Report report;
  std::vector<EquilibriumPosition> found;  // lowest potential first
  long starts = 0, converged = 0;          // random positions; those from which forces came to balance
  std::vector<std::string> no_potential;   // forces that the potential leaves out
  Trajectory table;                        // a row for each: its number, then the columns of a run
};
Equilibria solve_equilibrium(const Mechanism& mechanism, const EquilibriumOptions& options = {});

// Equilibria along a parameter, through limit points, where the parameter turns back. Limit points and
// changes of stability are points of the path.
struct EquilibriumPathOptions {
  std::string parameter = {};
  double from = 0, to = 0;
  bool stable = false;  // begin at the one that lies downhill
  int points = 1000;    // at most
  GoOn go_on = {};
};
struct EquilibriumPath {
  Report report;  // why it does not come to the end; the points before are kept
  std::string parameter;
  struct Point {
    double value = 0;  // of the parameter
    EquilibriumKind kind = EquilibriumKind::stable;
    bool is_limit = false;   // the parameter turns back here
    bool is_change = false;  // the stability changes here, though the parameter goes on
    double least = 0;        // 1/s², the least of its stiffnesses; NaN: it has none
  };
  std::vector<Point> points;
  Trajectory table;  // a row for each: the parameter, then the columns of a run
};
EquilibriumPath solve_equilibrium_path(const Mechanism& mechanism, const EquilibriumPathOptions& options);

// Modes: small motions about rest or steady motion, ẏ = A y + B i, o = C y + D i.
enum class ModesAt {
  equilibrium,  // the steady motion nearest the start, if it moves; else, or if there is none, the
                // equilibrium
  stable,       // the equilibrium that lies downhill
  start         // the start as it is
};
// By its name; none: there is no such one. kModesAt has the names.
std::optional<ModesAt> modes_at(std::string_view name);
inline constexpr const char* kModesAt[] = {"equilibrium", "stable", "start"};

struct ModesOptions {
  ModesAt at = ModesAt::equilibrium;
  std::string parameter = {};            // varied; empty: none
  std::vector<double> values = {};       // of it
  std::vector<double> frequencies = {};  // Hz, of the frequency response; empty: none
  GoOn go_on = {};
};
struct VibrationMode {
  std::complex<double> eigenvalue;  // 1/s; of a conjugate pair the one with im > 0
  double uncertainty = 0;           // of the eigenvalue
  int multiplicity = 1;
  // Of each body: displacement of the centre of mass (m), rotation (rad), world axes. The largest component
  // of any body, rotations times the mechanism's size, is one and real.
  std::vector<Eigen::Matrix<std::complex<double>, 6, 1>> shape;

  double frequency() const;      // Hz, of the oscillation
  double damping_ratio() const;  // 1: aperiodic; negative: it grows
  // It neither grows nor decays nor oscillates, within its uncertainty: the mechanism moves freely.
  bool is_free() const { return std::abs(eigenvalue) <= uncertainty; }
  bool grows() const { return eigenvalue.real() > uncertainty; }
};
// Deviations y of independent positions, velocities and states; i of the model's `inputs:`, o of the columns
// of its `outputs:`.
struct StateSpace {
  Eigen::MatrixXd A, B, C, D;
  Eigen::MatrixXd error;  // bound of the error of each entry of A, estimated
  std::vector<std::string> states, inputs, outputs;
};
struct Modes {
  Report report;            // why there are none
  std::string about;        // "steady motion", "equilibrium" or "start"
  bool not_steady = false;  // the start moves, but not steadily: about rest instead
  // Spinning bodies in whose own, turning axes the modes are seen: in standing axes they are not constant.
  std::vector<std::string> turning;
  bool outputs_turn = false;  // B and C hold at one moment only: inputs or outputs turn with a body
  std::vector<Pose> poses;
  double size = 1;                   // m, of the mechanism: what rotations of shapes are scaled by
  std::vector<VibrationMode> modes;  // free ones first, then by rising |λ|
  StateSpace linear;

  struct Varied {
    double value = 0;
    Report report;  // what went wrong there
    std::vector<VibrationMode> modes;
  };
  std::string parameter;
  std::vector<Varied> varied;
  std::vector<double> frequencies;         // Hz
  std::vector<Eigen::MatrixXcd> response;  // outputs × inputs, at each
};
Modes solve_modes(const Mechanism& mechanism, const ModesOptions& options = {});
// C (iωI − A)⁻¹ B + D at each frequency, Hz; after an interruption, of the first frequencies alone.
std::vector<Eigen::MatrixXcd> frequency_response(const StateSpace& linear,
                                                 const std::vector<double>& frequencies,
                                                 const GoOn& go_on = {});
// So many frequencies, Hz, evenly spaced on a logarithmic scale.
std::vector<double> frequency_range(double from, double to, int count = 600);

}  // namespace trammel
