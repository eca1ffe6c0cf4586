#include "search.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <stdexcept>

namespace trammel::bench {
namespace {

constexpr int kFinest = 18;  // refinements of a step; of a tolerance fewer make sense
constexpr int kFinestTolerance = 12;

struct Found {
  Row row;
  double seconds = INFINITY;  // of the best run so far
  double closest = INFINITY;  // excess of the best that did not meet it
  bool timed = false;
};

// The ladder of a rule: setting number x, whole for the coarse search, in between for the fine one.
Setting rung(const Rule& rule, const Subject& subject, double x) {
  if (rule.by_tolerance) return {rule, std::pow(10.0, -1 - x)};
  const double interval = subject.reference[1].t - subject.reference[0].t;
  return {rule, interval / std::max(1.0, std::round(std::exp2(x)))};
}

class RuleSearch {
 public:
  RuleSearch(const Code& code, const Subject& subject, const Rule& rule, const Patience& patience,
             double deadline, std::array<Found, 2>& found)
      : code_(code),
        subject_(subject),
        rule_(rule),
        patience_(patience),
        deadline_(deadline),
        found_(found) {}

  void run() {
    std::array<bool, 2> met{};
    std::array<double, 2> last{INFINITY, INFINITY};
    for (int x = 0; x <= (rule_.by_tolerance ? kFinestTolerance : kFinest); ++x) {
      const Trial trial = look(x);
      bool go_on = false;
      for (std::size_t k = 0; k < 2; ++k) {
        if (met[k]) continue;
        const double excess = kAccuracies[k].excess(trial.judgement);
        if (excess < 1) {
          met[k] = true;
          refine(k, x);
        } else if (promising(trial.seconds, excess, last[k], found_[k].seconds)) {
          go_on = true;
        }
        last[k] = excess;
      }
      if (!go_on || processor_seconds() > deadline_) return;
    }
  }

 private:
  // Whether a finer setting may still meet it, cheaper than what is known. Errors that fall by a factor r
  // where the cost doubles fall below their limit at 2^(log excess / log r) times the cost; where they do not
  // fall yet, a few more tries.
  bool promising(double seconds, double excess, double last, double best) const {
    const double limit = std::min(patience_.run, best);
    if (!std::isfinite(excess) || !(excess < 0.8 * last)) return 8 * seconds < limit;
    if (!std::isfinite(last)) return 2 * seconds < limit;
    const double doublings = std::log(excess) / std::log(last / excess);
    return seconds * std::exp2(rule_.by_tolerance ? 0.5 * doublings : doublings) < 2 * limit;
  }

  Trial look(double x) {
    const Setting setting = rung(rule_, subject_, x);
    const Trial trial = try_run(code_, subject_, setting, patience_.run);
    for (std::size_t k = 0; k < 2; ++k) keep(k, setting, trial);
    return trial;
  }

  void keep(std::size_t k, const Setting& setting, const Trial& trial) {
    Found& found = found_[k];
    const double excess = kAccuracies[k].excess(trial.judgement);
    if (excess >= 1) {
      found.closest = std::min(found.closest, excess);
      return;
    }
    if (trial.seconds >= found.seconds) return;
    found.seconds = trial.seconds;
    found.timed = false;
    Row& row = found.row;
    row.rule = setting.rule.name;
    row.by_tolerance = setting.rule.by_tolerance;
    row.value = setting.value;
    row.energy_error = trial.judgement.energy;
    row.gap = trial.judgement.gap;
    row.trajectory_error = trial.judgement.trajectory;
  }

  // Between the last that failed and the first that met it.
  void refine(std::size_t k, int x) {
    double fails = x - 1, meets = x;
    for (int i = 0; i < 2 && x > 0; ++i) {
      const double middle = 0.5 * (fails + meets);
      (kAccuracies[k].excess(look(middle).judgement) < 1 ? meets : fails) = middle;
    }
  }

  const Code& code_;
  const Subject& subject_;
  const Rule& rule_;
  const Patience& patience_;
  double deadline_;
  std::array<Found, 2>& found_;
};

std::string shortfall(const Found& found, const Patience& patience, const std::string& refusal) {
  if (std::isfinite(found.closest))
    return fmt::format("not met within {:.0f} s a run; the nearest misses it {:.2g} times", patience.run,
                       found.closest);
  return refusal.empty() ? "no run reaches the end on the right motion" : refusal;
}

std::array<Row, 2> blank_rows(const Code& code, const Subject& subject) {
  std::array<Row, 2> rows;
  for (std::size_t k = 0; k < 2; ++k) {
    rows[k].problem = subject.problem.name;
    rows[k].solver = code.name();
    rows[k].is_peer = code.is_peer();
    rows[k].accuracy = kAccuracies[k].name;
  }
  return rows;
}

void search_here(const Code& code, const Subject& subject, const Patience& patience, const Emit& emit) {
  std::array<Found, 2> found;
  const std::array<Row, 2> blank = blank_rows(code, subject);
  for (std::size_t k = 0; k < 2; ++k) found[k].row = blank[k];
  const double deadline = processor_seconds() + patience.code;
  std::string refusal;
  for (const Rule& rule : code.rules(subject.problem)) {
    if (processor_seconds() > deadline) break;
    try {
      RuleSearch(code, subject, rule, patience, deadline, found).run();
    } catch (const std::runtime_error& error) {
      refusal = error.what();
      continue;
    }
    // What is known so far counts even if a later rule crashes.
    for (Found& f : found) {
      if (!std::isfinite(f.seconds)) {
        f.row.note = shortfall(f, patience, refusal);
        emit(f.row);
        continue;
      }
      if (f.timed) continue;
      f.row.note.clear();
      time_row(code, subject, f.row, patience.repeat);
      f.timed = true;
      emit(f.row);
    }
  }
  if (!refusal.empty())
    for (Found& f : found)
      if (!std::isfinite(f.seconds) && !std::isfinite(f.closest)) {
        f.row.note = refusal;
        emit(f.row);
      }
}

}  // namespace

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Trial try_run(const Code& code, const Subject& subject, const Setting& setting, double patience) {
  Trial trial;
  Judge judge(subject);
  const std::unique_ptr<Run> run = code.start(subject, setting);
  for (std::size_t k = 0; k < subject.reference.size(); ++k) {
    const double before = processor_seconds();
    const bool goes_on = run->advance(subject.reference[k].t);
    trial.seconds += processor_seconds() - before;
    trial.steps = run->steps();
    judge.see(k, run->poses());
    trial.judgement = judge.so_far();
    if (!goes_on)
      trial.judgement.failure = fmt::format("gives up before t = {:.4g} s", subject.reference[k].t);
    if (trial.seconds > patience) trial.judgement.failure = fmt::format("takes more than {:.0f} s", patience);
    // A motion that is lost is not worth its end.
    if (!trial.judgement.failure.empty() || !std::isfinite(trial.judgement.energy) ||
        trial.judgement.energy > 10)
      return trial;
  }
  return trial;
}

void time_row(const Code& code, const Subject& subject, Row& row, double patience) {
  const Setting setting{{row.rule, row.by_tolerance}, row.value};
  double least = INFINITY, spent = 0;
  long steps = 0;
  while (spent < patience) {
    const std::unique_ptr<Run> run = code.start(subject, setting);
    const double before = processor_seconds();
    for (const Sample& sample : subject.reference)
      if (!run->advance(sample.t)) throw std::runtime_error("a run that ended well fails when repeated");
    const double seconds = processor_seconds() - before;
    least = std::min(least, seconds);
    spent += seconds;
    steps = run->steps();
  }
  row.ms_per_simulated_second = 1e3 * least / subject.reference.back().t;
  row.us_per_step = 1e6 * least / static_cast<double>(std::max(1L, steps));
}

std::vector<Row> search(const Code& code, const Subject& subject, const Patience& patience) {
  const std::array<Row, 2> blank = blank_rows(code, subject);
  std::vector<Row> rows(blank.begin(), blank.end());
  if (code.rules(subject.problem).empty()) return {};
  const IsolatedResult result = isolated(patience.code + 10 * patience.run, [&](const Emit& emit) {
    search_here(code, subject, patience, emit);
  });
  for (const Row& row : result.rows)
    for (Row& kept : rows)
      if (kept.accuracy == row.accuracy) kept = row;
  for (Row& row : rows)
    if (!row.met() && row.note.empty()) row.note = result.failure;
  return rows;
}

}  // namespace trammel::bench
