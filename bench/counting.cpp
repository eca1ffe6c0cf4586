#include "counting.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

// Its name is what callgrind is told; it must stay a function of its own.
extern "C" __attribute__((noinline)) bool trammel_bench_counted(trammel::bench::Run& run, double until,
                                                                double interval) {
  for (double t = interval; t < until * (1 - 1e-9); t += interval)
    if (!run.advance(t)) return false;
  return run.advance(until);
}

namespace trammel::bench {
namespace {

namespace fs = std::filesystem;

// s of the processor; callgrind takes fifty times as long. The rows that are compared step by step go
// further.
constexpr double kCounted = 0.02, kCountedSteps = 0.1;

// A folder of its own, gone at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "trammel-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path = name;
  }
  ~Scratch() { fs::remove_all(path); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path path;
};

// As far as the time allows, and by whole steps; rows of one step all as far as the slowest.
double until(const Row& row, const std::vector<Row>& rows, double duration) {
  double slowest = *row.ms_per_simulated_second;
  const bool steps = row.accuracy == "step";
  for (const Row& other : rows)
    if (steps && other.met() && other.accuracy == "step")
      slowest = std::max(slowest, *other.ms_per_simulated_second);
  const double end = std::min(1e3 * (steps ? kCountedSteps : kCounted) / slowest, duration);
  return row.by_tolerance ? end : row.value * std::max(1.0, std::floor(end / row.value * (1 + 1e-9)));
}

void run_valgrind(const fs::path& folder, const fs::path& list) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string out = fmt::format("--callgrind-out-file={}", (folder / "out").string());
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string silence = (folder / "log").string();
    if (!freopen(silence.c_str(), "w", stdout) || !freopen(silence.c_str(), "w", stderr)) _exit(1);
    execlp("valgrind", "valgrind", "--tool=callgrind", "--collect-atstart=no",
           "--toggle-collect=trammel_bench_counted", "--dump-after=trammel_bench_counted", out.c_str(),
           self.c_str(), "--count", list.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
}

std::optional<double> total(const fs::path& profile) {
  std::ifstream file(profile);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("totals: ")) return std::stod(line.substr(8));
  return std::nullopt;
}

}  // namespace

bool can_count() {
  const char* path = std::getenv("PATH");
  for (std::string rest = path ? path : ""; !rest.empty();) {
    const std::size_t end = rest.find(':');
    if (access((rest.substr(0, end) + "/valgrind").c_str(), X_OK) == 0) return true;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return false;
}

void count_instructions(std::vector<Row>& rows, double duration) {
  const Scratch scratch;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<Row*> counted;
  for (Row& row : rows)
    if (row.met()) {
      list.push_back(to_json(row));
      list.back()["until"] = until(row, rows, duration);
      counted.push_back(&row);
    }
  if (counted.empty()) return;
  std::ofstream(scratch.path / "list") << list.dump();
  run_valgrind(scratch.path, scratch.path / "list");
  // Each run writes the number of its steps; its profile is dumped when the function returns.
  std::ifstream steps(scratch.path / "list.steps");
  for (std::size_t k = 0; k < counted.size(); ++k) {
    double n = 0;
    if (!(steps >> n) || n == 0) return;
    if (const auto instructions = total(scratch.path / fmt::format("out.{}", k + 1)))
      counted[k]->instructions_per_step = *instructions / n;
  }
}

int make_counted_runs(const std::string& list) {
  const auto codes = all_codes();
  std::ofstream steps(list + ".steps");
  std::optional<Subject> subject;
  for (const auto& j : nlohmann::ordered_json::parse(std::ifstream(list))) {
    const Row row = row_from(j);
    for (const Problem& problem : judged_problems())
      if (problem.name == row.problem && !subject) subject.emplace(problem);
    for (const auto& code : codes) {
      if (code->name() != row.solver) continue;
      const auto run = code->start(*subject, {{row.rule, row.by_tolerance}, row.value});
      const double interval = subject->reference[1].t - subject->reference[0].t;
      if (!trammel_bench_counted(*run, j.at("until"), interval)) return 1;
      steps << run->steps() << std::endl;
    }
  }
  return 0;
}

}  // namespace trammel::bench
