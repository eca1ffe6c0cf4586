#include "growth.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "counting.h"

namespace trammel::bench {
namespace {

constexpr int kSteps = 20;        // the first of the motion
constexpr double kPatience = 20;  // s of the processor for one row
constexpr double kQuickPatience = 4;
constexpr double kRepeat = 0.3;     // s of repetitions
constexpr int kQuickBodies = 1000;  // more take long to start

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

std::string family(const std::string& problem) { return problem.substr(0, problem.rfind('-')); }

void time_steps(const Code& code, const Subject& subject, Row& row) {
  const Setting setting{{row.rule, false}, row.value};
  double least = INFINITY, spent = 0;
  while (spent < kRepeat) {
    const double bytes = bytes_in_use(), begin = processor_seconds();
    const std::unique_ptr<Run> run = code.start(subject, setting);
    row.bytes_per_body = (bytes_in_use() - bytes) / subject.problem.bodies;
    row.start_ms = std::min(row.start_ms.value_or(INFINITY), 1e3 * (processor_seconds() - begin));
    const double before = processor_seconds();
    if (!run->advance(kSteps * setting.value)) throw std::runtime_error("a step fails");
    const double seconds = processor_seconds() - before;
    least = std::min(least, seconds / static_cast<double>(run->steps()));
    spent += seconds;
  }
  row.us_per_step = 1e6 * least;
  row.ms_per_simulated_second = 1e3 * least / setting.value;
}

// Slope of log cost against log bodies, by least squares; of chains from a hundred bodies on.
std::optional<double> slope(const std::vector<const Row*>& rows, std::optional<double> Row::*cost) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Row* row : rows) {
    if (!(row->*cost) || *row->bodies < 40) continue;
    const double a = std::log(*row->bodies), b = std::log(*(row->*cost));
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  if (n < 2) return std::nullopt;
  return (n * xy - x * y) / (n * xx - x * x);
}

// Reading and checking the model, which all its plans share.
double reading_ms(const Problem& problem) {
  const double before = processor_seconds();
  mechanism_of(problem);
  return 1e3 * (processor_seconds() - before);
}

Row measure(const Code& code, const Subject& subject, const Rule& rule, double patience) {
  Row row;
  row.problem = subject.problem.name;
  row.solver = code.name();
  row.is_peer = code.is_peer();
  row.accuracy = "growth";
  row.rule = rule.name;
  row.value = subject.problem.step;
  row.bodies = subject.problem.bodies;
  const IsolatedResult result = isolated(patience, [&](const Emit& emit) {
    Row timed = row;
    time_steps(code, subject, timed);
    emit(timed);
  });
  if (!result.rows.empty()) return result.rows.front();
  row.note = result.failure;
  return row;
}

// One for each line of rows that differ in the number of bodies.
std::vector<Row> exponents(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<const Row*>> lines;
  for (const Row& row : rows)
    lines[family(row.problem) + "\n" + row.solver + "\n" + row.rule].push_back(&row);
  std::vector<Row> found;
  for (const auto& [key, line] : lines) {
    Row row;
    row.problem = family(line.front()->problem);
    row.solver = line.front()->solver;
    row.is_peer = line.front()->is_peer;
    row.accuracy = "growth";
    row.rule = line.front()->rule;
    row.exponent = slope(line, &Row::us_per_step);
    row.instruction_exponent = slope(line, &Row::instructions_per_step);
    if (row.exponent) found.push_back(row);
  }
  return found;
}

bool is_wanted(const Problem& problem, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
           return problem.name.starts_with(name);
         });
}

}  // namespace

std::vector<Row> growth(const std::vector<std::unique_ptr<Code>>& codes,
                        const std::vector<std::string>& wanted, bool quick,
                        const std::function<void(const std::string&)>& say) {
  std::vector<Row> rows;
  for (const Problem& problem : growing_problems()) {
    if ((quick && problem.bodies > kQuickBodies) || !is_wanted(problem, wanted)) continue;
    say(problem.name + ", growth");
    Problem unjudged = problem;
    unjudged.judged = false;
    const double reading = reading_ms(unjudged);
    const Subject subject(unjudged);
    for (const auto& code : codes)
      for (const Rule& rule : code->growth_rules(problem)) {
        Row row = measure(*code, subject, rule, quick ? kQuickPatience : kPatience);
        if (code == codes.front() && row.start_ms) *row.start_ms += reading;
        rows.push_back(std::move(row));
      }
  }
  if (!quick && can_count() && !rows.empty()) {
    say("growth, instructions");
    count_instructions(rows, 0);
  }
  for (Row& row : exponents(rows)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace trammel::bench
