#include "growth.h"

#include <malloc.h>

#include <cmath>
#include <map>

namespace trammel::bench {
namespace {

constexpr int kSteps = 20;          // the first of the motion
constexpr double kPatience = 30;    // s of the processor for one row
constexpr double kRepeat = 0.3;     // s of repetitions
constexpr int kQuickBodies = 1000;  // more take long to start

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

std::string family(const Problem& problem) { return problem.name.substr(0, problem.name.rfind('-')); }

void time_steps(const Code& code, const Subject& subject, Row& row) {
  const Setting setting{{row.rule, false}, row.value};
  double least = INFINITY, spent = 0;
  while (spent < kRepeat) {
    const double before_start = bytes_in_use();
    const std::unique_ptr<Run> run = code.start(subject, setting);
    row.bytes_per_body = (bytes_in_use() - before_start) / subject.problem.bodies;
    const double before = processor_seconds();
    if (!run->advance(kSteps * setting.value)) throw std::runtime_error("a step fails");
    const double seconds = processor_seconds() - before;
    least = std::min(least, seconds / static_cast<double>(run->steps()));
    spent += seconds;
  }
  row.us_per_step = 1e6 * least;
  row.ms_per_simulated_second = 1e3 * least / setting.value;
}

// Slope of log time against log bodies, by least squares; of chains from a hundred bodies on.
std::optional<double> slope(const std::vector<Row>& rows) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Row& row : rows) {
    if (!row.met() || *row.bodies < 40) continue;
    const double a = std::log(*row.bodies), b = std::log(*row.us_per_step);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  if (n < 2) return std::nullopt;
  return (n * xy - x * y) / (n * xx - x * x);
}

Row measure(const Code& code, const Subject& subject, const Rule& rule) {
  Row row;
  row.problem = subject.problem.name;
  row.solver = code.name();
  row.is_peer = code.is_peer();
  row.accuracy = "growth";
  row.rule = rule.name;
  row.value = subject.problem.step;
  row.bodies = subject.problem.bodies;
  const IsolatedResult result = isolated(kPatience, [&](const Emit& emit) {
    Row timed = row;
    time_steps(code, subject, timed);
    emit(timed);
  });
  if (!result.rows.empty()) return result.rows.front();
  row.note = result.failure;
  return row;
}

}  // namespace

std::vector<Row> growth(const std::vector<std::unique_ptr<Code>>& codes,
                        const std::vector<std::string>& wanted, bool quick,
                        const std::function<void(const std::string&)>& say) {
  std::map<std::string, std::vector<Row>> lines;  // by family, code and rule
  std::vector<Row> rows;
  for (const Problem& problem : growing_problems()) {
    if (quick && problem.bodies > kQuickBodies) continue;
    bool is_wanted = wanted.empty();
    for (const std::string& name : wanted) is_wanted = is_wanted || problem.name.starts_with(name);
    if (!is_wanted) continue;
    say(problem.name + ", growth");
    Problem unjudged = problem;
    unjudged.judged = false;
    const Subject subject(unjudged);
    for (const auto& code : codes)
      for (const Rule& rule : code->growth_rules(problem)) {
        rows.push_back(measure(*code, subject, rule));
        lines[family(problem) + "\n" + code->name() + "\n" + rule.name].push_back(rows.back());
      }
  }
  for (const auto& [key, line] : lines) {
    Row row = line.front();
    row.problem = key.substr(0, key.find('\n'));
    row.us_per_step = row.ms_per_simulated_second = row.bodies = row.bytes_per_body = std::nullopt;
    row.note.clear();
    row.exponent = slope(line);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace trammel::bench
