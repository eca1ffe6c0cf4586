#include "simulation/error_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

namespace trammel::simulation {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Of the widest range among columns of one unit: the least by which a column is judged.
constexpr double kNarrow = 1e-2;
// Of a value: a range below is rounding.
constexpr double kOfValue = 1e-9;
// The growth of an error is measured from where it was so much less than what is asked for. It is that of a
// motion that amplifies errors if it is e-fold so often since the start; else the error adds up.
constexpr double kSmall = 1e-2, kFolds = 12;
constexpr long kRowsOfGrowth = 3;
// A position rests that moves by less than so many times the tolerance, for errors of several steps add up;
// that moves in one of the runs by no more than this part of the other; and whose difference in both is at
// least the smaller motion. A motion that is small but there has the same size in both runs.
constexpr double kFewTolerances = 10, kOtherSize = 0.6;
// Times of two rows that are one.
constexpr double kSameTime = 1e-9;

struct KindEntry {
  const char *name, *unit;
  bool from_zero;  // zero belongs to the range
  bool reaction;   // means nothing next to a singular position
  double (*still)(const MotionScale&);
};

constexpr std::array kKinds = {
    KindEntry{"position", "m", false, false, [](const MotionScale& s) { return s.length; }},
    KindEntry{"angle", "rad", false, false, [](const MotionScale&) { return 1.0; }},
    KindEntry{"velocity", "m/s", true, false, [](const MotionScale& s) { return s.length / s.time; }},
    KindEntry{"angular_velocity", "rad/s", true, false, [](const MotionScale& s) { return 1 / s.time; }},
    KindEntry{"reaction", "N", true, true, [](const MotionScale& s) { return s.force; }},
    KindEntry{"torque", "N.m", true, true, [](const MotionScale& s) { return s.force * s.length; }},
    KindEntry{"energy", "J", true, false, [](const MotionScale& s) { return s.force * s.length; }},
    KindEntry{"orientation", "", false, false, [](const MotionScale&) { return 1.0; }},
    KindEntry{"other", "", false, false, [](const MotionScale&) { return 0.0; }},
};
constexpr std::size_t kPosition = 0, kAngle = 1, kVelocity = 2, kAngularVelocity = 3, kForce = 4, kTorque = 5;
constexpr std::size_t kOrientation = kKinds.size() - 2, kOther = kKinds.size() - 1;
constexpr std::size_t kNotJudged = kKinds.size();
constexpr const char* kOwnColumns = "columns";  // the group of outputs that a model defines

bool is_quaternion(const Channel& channel) {
  return channel.dataset == "orientation" && !channel.component.empty();
}

std::size_t kind_of(const Channel& channel) {
  if (channel.group.empty() || channel.group == "violation" || channel.group == "solver" ||
      channel.group == "reactions" || channel.dataset.ends_with(".unique"))
    return kNotJudged;
  if (is_quaternion(channel)) return kOrientation;
  for (std::size_t k = 0; k < kOrientation; ++k)
    if (channel.unit == kKinds[k].unit) return k;
  return kOther;
}

bool same_time(double a, double b) { return std::abs(a - b) <= kSameTime * std::max(1.0, std::abs(a)); }

class Estimator {
 public:
  Estimator(const Trajectory& first, const Trajectory& second, const ErrorSettings& settings)
      : first_(first), second_(second), settings_(settings) {
    for (std::size_t c = 0; c < columns(); ++c) {
      const Channel& channel = first.channels[c];
      kinds_.push_back(kind_of(channel));
      decides_.push_back(!channel.group.starts_with("forces/"));
      if (c > 0 && kinds_[c] != kNotJudged && decides_[c]) of_kind_[kinds_[c]].push_back(c);
      unique_.push_back(first.find(channel.name + ".unique"));
    }
    marked_ = first.find("marked");
    const auto is_reading = [](const Channel& channel) {
      return !channel.group.empty() && !channel.group.starts_with("bodies/") &&
             !channel.group.starts_with("points/");
    };
    first_reading_ = static_cast<std::size_t>(
        std::find_if(first.channels.begin(), first.channels.end(), is_reading) - first.channels.begin());
  }

  ErrorTable estimate() {
    find_jumps();
    pair_rows();
    errors_.assign(first_.values.size(), kNone);
    for (std::size_t i = 0; i < first_.rows(); ++i) errors_[i * columns()] = first_.row(i)[0];
    in_blocks(pairs_.size(), [&](std::size_t p) { compare(pairs_[p]); });
    find_scales();
    forget_jumps_of_reactions();
    find_resting();
    ErrorTable out;
    std::array<ErrorEstimate::Kind, kKinds.size()> kinds;
    run(kOther, [&](std::size_t k) { kinds[k] = judge(k); });
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      if (of_kind_[k].empty()) continue;
      if (k == kOther) {
        const ErrorEstimate::Kind* limit = out.estimate.limit();
        find_constants(limit == nullptr ? INFINITY : limit->known_until);
        kinds[k] = judge(k);
      }
      out.estimate.kinds.push_back(std::move(kinds[k]));
    }
    out.values = std::move(errors_);
    out.scales = std::move(scales_);
    return out;
  }

 private:
  // Rows of both runs at one time.
  struct RowPair {
    std::size_t i, j;
    bool jumps;         // velocities jump there
    bool next_to_mark;  // in either run
  };

  std::size_t columns() const { return first_.channels.size(); }

  // Calls task(i) for each i below count, on the executor if there is one.
  void run(std::size_t count, const std::function<void(std::size_t)>& task) const {
    if (settings_.executor != nullptr) return settings_.executor->run(count, task);
    for (std::size_t i = 0; i < count; ++i) task(i);
  }
  // The same in a few blocks, for many small tasks.
  template <class Task>
  void in_blocks(std::size_t count, const Task& task) const {
    constexpr std::size_t kBlocks = 8;
    run(kBlocks, [&](std::size_t block) {
      for (std::size_t i = block * count / kBlocks; i < (block + 1) * count / kBlocks; ++i) task(i);
    });
  }

  // Rows at the same times; and the last ones, where both runs ended early, each at its own time.
  void pair_rows() {
    const std::size_t n = first_.rows(), m = second_.rows();
    if (n == 0 || m == 0 || second_.channels != first_.channels) return;
    std::size_t i = 0;
    for (; i < std::min(n, m) && same_time(first_.row(i)[0], second_.row(i)[0]); ++i) add_pair(i, i);
    const double step = n > 1 ? first_.row(1)[0] - first_.row(0)[0] : 0;
    if (i + 1 == n && i < m && std::abs(first_.row(n - 1)[0] - second_.row(m - 1)[0]) <= step)
      add_pair(n - 1, m - 1);
  }
  void add_pair(std::size_t i, std::size_t j) {
    pairs_.push_back(
        {i, j, at_jump(i), marked_ >= 0 && (next_to_mark(first_, i) || next_to_mark(second_, j))});
  }

  void compare(const RowPair& pair) {
    const auto a = first_.row(pair.i), b = second_.row(pair.j);
    double* const out = &errors_[pair.i * columns()];
    for (std::size_t c = 1; c < columns(); ++c)
      if (kinds_[c] != kNotJudged) out[c] = settings_.factor * std::abs(a[c] - b[c]);
    // A quaternion, which is four columns, and its opposite are one rotation.
    const std::vector<std::size_t>& rotations = of_kind_[kOrientation];
    for (std::size_t at = 0; at + 3 < rotations.size(); at += 4) {
      const std::size_t c = rotations[at];
      double dot = 0;
      for (std::size_t k = c; k < c + 4; ++k) dot += a[k] * b[k];
      for (std::size_t k = c; k < c + 4; ++k)
        out[k] = settings_.factor * std::abs(a[k] - std::copysign(1.0, dot) * b[k]);
    }
    // Of values near the largest number, or that jump there.
    for (std::size_t c = 1; c < columns(); ++c)
      if (std::isinf(out[c]) || (pair.jumps && !is_place(kinds_[c]))) out[c] = kNone;
  }

  // The range of an energy or a reading over the steps. The columns of readings come after those of bodies
  // and points.
  double between_rows(std::size_t c) const {
    constexpr std::array kEnergies = {"kinetic", "potential", "work"};
    if (first_.channels[c].group == "energy")
      for (std::size_t k = 0; k < kEnergies.size(); ++k)
        if (first_.channels[c].dataset == kEnergies[k]) return settings_.widest.energies[k];
    const std::vector<double>& ranges = settings_.widest.readings;
    return c >= first_reading_ && c - first_reading_ < ranges.size() ? ranges[c - first_reading_] : 0;
  }

  // By what each column is judged.
  void find_scales() {
    std::vector<double> low(columns(), INFINITY), high(columns(), -INFINITY);
    for (const RowPair& pair : pairs_) {
      const auto a = first_.row(pair.i), b = second_.row(pair.j);
      for (std::size_t c = 1; c < columns(); ++c) {
        if (kinds_[c] == kNotJudged || !counts(kinds_[c], pair) || !std::isfinite(b[c])) continue;
        // Reactions that are one choice of many are forces of the mechanism too, beside which others are
        // small: as far as both runs have them. Penalties may press redundant joints against each other.
        const double value = is_choice(a, c) || is_choice(b, c) ? common(a[c], b[c]) : b[c];
        low[c] = std::min(low[c], value);
        high[c] = std::max(high[c], value);
      }
    }
    scales_.assign(columns(), 0);
    std::array<double, kKinds.size()> widest{};
    for (std::size_t c = 1; c < columns(); ++c) {
      const std::size_t k = kinds_[c];
      if (k == kNotJudged || low[c] > high[c]) continue;
      if (kKinds[k].from_zero) low[c] = std::min(low[c], 0.0), high[c] = std::max(high[c], 0.0);
      scales_[c] = std::max(
          {high[c] - low[c], between_rows(c), kOfValue * std::max(std::abs(low[c]), std::abs(high[c]))});
      if (decides_[c]) widest[k] = std::max(widest[k], scales_[c]);
    }
    widest[kPosition] = std::max(widest[kPosition], settings_.widest.position);
    // Bodies in space have orientations; angles are those of joints there.
    if (of_kind_[kOrientation].empty()) widest[kAngle] = std::max(widest[kAngle], settings_.widest.angle);
    widest[kOrientation] = std::max(widest[kOrientation], settings_.widest.angle / 2);
    widest[kVelocity] = std::max(widest[kVelocity], settings_.widest.velocity);
    widest[kAngularVelocity] = std::max(widest[kAngularVelocity], settings_.widest.angular_velocity);
    widest_ = widest;
    const double length = settings_.scale.length;
    for (const std::size_t angle : {kAngle, kOrientation})
      widest[angle] = std::max(widest[angle], widest[kPosition] / length);
    widest[kAngularVelocity] = std::max(widest[kAngularVelocity], widest[kVelocity] / length);
    widest[kTorque] = std::max(widest[kTorque], widest[kForce] * length);
    widest[kForce] = std::max(widest[kForce], widest[kTorque] / length);
    for (std::size_t c = 1; c < columns(); ++c) {
      const std::size_t k = kinds_[c];
      if (k == kNotJudged) continue;
      const double of_unit = k == kOther ? 0 : kNarrow * widest[k];
      scales_[c] = std::max({scales_[c], of_unit, kStill * kKinds[k].still(settings_.scale)});
    }
  }

  // A row that stands on a jump of a force has it on one side in one run and on the other side in the other:
  // neither errs. The runs agree in the rows before and after, and each has one of these values.
  void forget_jumps_of_reactions() {
    constexpr double kNearSide = 0.1;  // of the jump
    for (std::size_t p = 1; p + 1 < pairs_.size(); ++p) {
      const RowPair &before = pairs_[p - 1], &here = pairs_[p], &after = pairs_[p + 1];
      for (std::size_t c = 1; c < columns(); ++c) {
        if (kinds_[c] == kNotJudged || !kKinds[kinds_[c]].reaction) continue;
        const double allowed = settings_.accuracy * scales_[c];
        const auto agree = [&](const RowPair& pair) { return errors_[pair.i * columns() + c] <= allowed; };
        if (agree(here) || !agree(before) || !agree(after)) continue;
        const double low = first_.row(before.i)[c], high = first_.row(after.i)[c];
        const double near = kNearSide * std::abs(high - low);
        const double a = first_.row(here.i)[c], b = second_.row(here.j)[c];
        const auto is_at = [&](double value, double side) { return std::abs(value - side) <= near; };
        if ((is_at(a, low) && is_at(b, high)) || (is_at(a, high) && is_at(b, low)))
          errors_[here.i * columns() + c] = kNone;
      }
    }
  }

  // What two values have in common: the smaller, or nothing where their signs differ.
  static double common(double a, double b) {
    return a * b > 0 ? std::copysign(std::min(std::abs(a), std::abs(b)), a) : 0;
  }

  static bool is_place(std::size_t kind) {
    return kind == kPosition || kind == kAngle || kind == kOrientation;
  }

  // How far a column goes in both runs.
  struct Extent {
    double small = 0, large = 0;  // range in the run where it is smaller, and in the other
    double difference = 0;        // of the two runs
    double size = 0;              // largest value of the first
  };
  bool is_tiny(const Extent& extent, double unit) const {
    return extent.large <= kFewTolerances * settings_.tolerance * unit;
  }
  // Up to a time.
  Extent extent_of(std::size_t c, double until = INFINITY) const {
    std::array<double, 2> low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};  // of both runs
    double difference = 0;
    for (const RowPair& pair : pairs_) {
      if (first_.row(pair.i)[0] > until) break;
      const std::array values{first_.row(pair.i)[c], second_.row(pair.j)[c]};
      for (std::size_t k = 0; k < 2; ++k)
        low[k] = std::min(low[k], values[k]), high[k] = std::max(high[k], values[k]);
      difference = std::max(difference, errors_[pair.i * columns() + c] / settings_.factor);
    }
    const auto [small, large] = std::minmax({high[0] - low[0], high[1] - low[1]});
    return {small, large, difference, std::max(std::abs(low[0]), std::abs(high[0]))};
  }

  // Whether a position moves by errors alone.
  bool rests(std::size_t c) const {
    const Extent extent = extent_of(c);
    return is_tiny(extent, std::max(kKinds[kinds_[c]].still(settings_.scale), extent.size)) &&
           extent.small <= kOtherSize * extent.large && extent.difference >= extent.small;
  }

  // Columns of one's own that are constant, as an angular momentum, as long as the motion is known: if the
  // runs differ by a good part of so small a range, it is error alone. None has a unit; the largest is their
  // size. Steps of one size have no tolerance: there the range is to be within the accuracy, and the runs to
  // differ as where a position rests.
  void find_constants(double known_until) {
    constexpr double kGoodPart = 0.3;
    const auto is_own = [&](std::size_t c) { return first_.channels[c].group == kOwnColumns; };
    double size = 0;
    for (const std::size_t c : of_kind_[kOther])
      if (is_own(c)) size = std::max(size, extent_of(c, known_until).size);
    for (const std::size_t c : of_kind_[kOther]) {
      if (!is_own(c)) continue;
      const Extent extent = extent_of(c, known_until);
      const bool is_error = settings_.tolerance > 0
                                ? is_tiny(extent, size) && extent.difference >= kGoodPart * extent.small
                                : extent.large <= settings_.accuracy * size &&
                                      extent.small <= kOtherSize * extent.large &&
                                      extent.difference >= extent.small;
      if (is_error) scales_[c] = INFINITY;
    }
  }

  // The position whose rate a column is: of the same body in the same direction, or of the same joint; for an
  // angular velocity the angle or the whole orientation.
  bool is_rate_of(std::size_t rate, std::size_t place) const {
    const Channel &a = first_.channels[rate], &b = first_.channels[place];
    if (a.group != b.group) return false;
    if (kinds_[rate] == kVelocity) return kinds_[place] == kPosition && a.component == b.component;
    return kinds_[rate] == kAngularVelocity && (kinds_[place] == kAngle || kinds_[place] == kOrientation);
  }

  void find_resting() {
    if (settings_.tolerance == 0 || pairs_.empty()) return;
    std::vector<bool> resting(columns(), false);
    for (std::size_t c = 1; c < columns(); ++c) resting[c] = is_place(kinds_[c]) && rests(c);
    if (std::find(resting.begin(), resting.end(), true) == resting.end()) return;
    for (std::size_t c = 1; c < columns(); ++c) {
      if (kinds_[c] != kVelocity && kinds_[c] != kAngularVelocity) continue;
      bool all = true, some = false;
      for (std::size_t place = 1; place < columns(); ++place)
        if (is_rate_of(c, place)) some = true, all = all && resting[place];
      resting[c] = some && all;
    }
    for (std::size_t c = 1; c < columns(); ++c)
      if (resting[c]) scales_[c] = INFINITY;
  }

  bool is_marked(const Trajectory& rows, std::size_t i) const {
    return rows.row(i)[static_cast<std::size_t>(marked_)] != 0;
  }
  bool next_to_mark(const Trajectory& rows, std::size_t i) const {
    return is_marked(rows, i) || (i > 0 && is_marked(rows, i - 1)) ||
           (i + 1 < rows.rows() && is_marked(rows, i + 1));
  }
  // A reaction that is one choice of many: the two runs may choose otherwise, and neither errs.
  bool is_choice(std::span<const double> row, std::size_t c) const {
    return unique_[c] >= 0 && row[static_cast<std::size_t>(unique_[c])] == 0;
  }
  bool at_jump(std::size_t i) const { return at_jump_[i] != 0; }
  void find_jumps() {
    at_jump_.assign(first_.rows(), 0);
    std::size_t i = 0;
    for (const double jump : settings_.jumps) {
      while (i < first_.rows() && first_.row(i)[0] < jump && !same_time(first_.row(i)[0], jump)) ++i;
      for (std::size_t k = i; k < first_.rows() && same_time(first_.row(k)[0], jump); ++k) at_jump_[k] = 1;
    }
  }
  // Whether values of this kind have a size in these rows.
  bool counts(std::size_t kind, const RowPair& pair) const {
    return !(pair.jumps && !is_place(kind)) && !(pair.next_to_mark && kKinds[kind].reaction);
  }

  // The largest value of any column of a kind, or the size of the mechanism where that is larger.
  double size_of(std::size_t k) const {
    double size = kKinds[k].still(settings_.scale);
    for (std::size_t i = 0; i < first_.rows(); ++i)
      for (const std::size_t c : of_kind_[k])
        if (std::isfinite(first_.row(i)[c])) size = std::max(size, std::abs(first_.row(i)[c]));
    return size;
  }

  // The largest errors of a kind in a row.
  struct RowWorst {
    double error = 0, share = 0;  // the second relative to what is allowed
    std::size_t error_column = 0, share_column = 0;
  };
  RowWorst worst_of(std::size_t k, const RowPair& pair) const {
    RowWorst worst;
    if (!counts(k, pair)) return worst;
    const auto a = first_.row(pair.i), b = second_.row(pair.j);
    for (const std::size_t c : of_kind_[k]) {
      const double error = errors_[pair.i * columns() + c];
      if (std::isnan(error) || is_choice(a, c) || is_choice(b, c)) continue;
      if (error > worst.error) worst.error = error, worst.error_column = c;
      const double share = error / (settings_.accuracy * scales_[c]);
      if (share > worst.share) worst.share = share, worst.share_column = c;
    }
    return worst;
  }

  // Whether an error that grew at this rate from one time to another goes on to grow for as long again, or
  // until it is as large as the motion. One that adds up, or grows with a power of time, as in the first
  // steps, slows down.
  bool goes_on(std::size_t k, double growth, double t, double since, double reached) const {
    constexpr double kOfRate = 0.8, kOfMotion = 0.1;
    double later = 0;
    for (const RowPair& pair : pairs_)
      if (const double at = first_.row(pair.i)[0]; at > t && at <= t + (t - since))
        later = std::max(later, worst_of(k, pair).share);
    return later * settings_.accuracy > kOfMotion ||
           std::log(later / reached) > kOfRate * growth * (t - since);
  }

  ErrorEstimate::Kind judge(std::size_t k) const {
    ErrorEstimate::Kind kind;
    kind.name = kKinds[k].name;
    kind.unit = kKinds[k].unit;
    kind.range = widest_[k];
    kind.rounding = std::numeric_limits<double>::epsilon() * size_of(k);
    double small = kNone;       // the last time when every error was small
    double small_at = 0;        // the largest then, of what is allowed
    double largest_before = 0;  // of what is allowed
    double last = 0;            // time of the row before
    long rows_since = 0;
    std::size_t largest = 0;  // its column
    for (const RowPair& pair : pairs_) {
      const double t = first_.row(pair.i)[0];
      const RowWorst here = worst_of(k, pair);
      const double worst = here.share;
      if (here.error > kind.largest) kind.largest = here.error, largest = here.error_column, kind.t = t;
      if (worst > 1) {
        ++kind.beyond;
        if (std::isinf(kind.known_until)) {
          kind.known_until = last;
          kind.first = first_.channels[here.share_column].name;
          const double growth = std::log(worst / small_at) / (t - small);
          if (growth * t > kFolds && rows_since > kRowsOfGrowth && goes_on(k, growth, t, small, worst))
            kind.growth = growth;
        }
      }
      largest_before = std::max(largest_before, worst);
      ++rows_since;
      if (largest_before <= kSmall && worst > 0) small = t, small_at = worst, rows_since = 0;
      last = t;
    }
    if (largest > 0) kind.column = first_.channels[largest].name;
    if (pairs_.size() < first_.rows()) kind.known_until = std::min(kind.known_until, last);
    // Both runs have the same start: that tells no error.
    if (pairs_.size() < std::min<std::size_t>(2, first_.rows())) kind.largest = kNone;
    return kind;
  }

  const Trajectory &first_, &second_;
  const ErrorSettings& settings_;
  std::vector<double> errors_;                                   // of the first run's size
  std::vector<std::size_t> kinds_;                               // by column
  std::vector<double> scales_;                                   // by column
  std::array<double, kKinds.size()> widest_{};                   // by kind
  std::array<std::vector<std::size_t>, kKinds.size()> of_kind_;  // columns, by kind
  std::vector<RowPair> pairs_;
  std::vector<int> unique_;    // by column: the one that says so, −1: none
  std::vector<char> at_jump_;  // by row
  // By column. A force follows from positions, velocities and time, which decide; it may jump, so that two
  // runs whose rows stand on a jump differ by all of it. Its error is told.
  std::vector<bool> decides_;
  int marked_ = -1;                // column
  std::size_t first_reading_ = 0;  // column
};

}  // namespace

ErrorTable estimate_errors(const Trajectory& first, const Trajectory& second, const ErrorSettings& settings) {
  return Estimator(first, second, settings).estimate();
}

}  // namespace trammel::simulation

namespace trammel {

std::vector<Channel> error_channels(std::vector<Channel> channels) {
  for (std::size_t c = 1; c < channels.size(); ++c) channels[c].may_be_missing = true;
  return channels;
}

const ErrorEstimate::Kind* ErrorEstimate::find(std::string_view kind) const {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

const ErrorEstimate::Kind* ErrorEstimate::limit() const {
  const auto shortest = std::min_element(
      kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.known_until < b.known_until; });
  return shortest == kinds.end() || std::isinf(shortest->known_until) ? nullptr : &*shortest;
}

}  // namespace trammel
