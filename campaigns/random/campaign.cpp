#include "campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "generator.h"
#include "judge.h"
#include "keep.h"
#include "model_text.h"
#include "shrink.h"

namespace trammel::campaigns::random {
namespace {

// A line tells how far it is after this many mechanisms.
constexpr std::uint64_t kProgress = 100;

struct Tally {
  std::map<std::string, int> kinds, statuses, disagreements, methods;
  std::set<std::string> explained;  // "seed kind"
  int mechanisms = 0, attempts = 0, runs = 0, failing = 0, known = 0;
  double drawing = 0, running = 0;
  std::vector<Specification> agreeing;
};

// Lines of a seed, a kind of disagreement and the reason; others are comments.
std::set<std::string> read_explained(const std::string& path) {
  std::set<std::string> out;
  if (path.empty()) return out;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("'{}' cannot be read", path));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uint64_t seed = 0;
    if (std::string kind; words >> seed >> kind) out.insert(fmt::format("{} {}", seed, kind));
  }
  return out;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void count_parts(const Specification& spec, const ReferenceTable& reference, Tally& tally) {
  ++tally.kinds[spec.planar ? "plane" : "space"];
  if (reference.redundant > 0) ++tally.kinds["redundant"];
  if (reference.freedoms == 0) ++tally.kinds["without freedom"];
  for (const JointSpec& j : spec.joints) ++tally.kinds[std::string("joint ") + key_of(j.kind)];
  for (const DriverSpec& d : spec.drivers) ++tally.kinds[std::string("driver ") + key_of(d.kind)];
  for (const ForceSpec& f : spec.forces) ++tally.kinds[std::string("force ") + key_of(f.kind)];
}

// Smaller models that fail in the same way.
Specification shrunk(const Specification& spec, const PlanChoice& choice, const std::string& kind) {
  return shrink(spec, [&](Specification& candidate) {
    if (!settle_velocities(candidate)) return false;
    const double duration = candidate.duration;
    const std::optional<ReferenceTable> reference = settle_duration(candidate);
    if (!reference || candidate.duration != duration) return false;
    try {
      const Mechanism mechanism = mechanism_of(candidate);
      for (const Disagreement& one : judge(candidate, mechanism, *reference, choice).disagreements)
        if (one.kind == kind) return true;
    } catch (const std::invalid_argument&) {
      return kind == "refused";
    }
    return false;
  });
}

void write_failure(const Options& options, const Specification& spec, const PlanChoice& choice,
                   const Disagreement& one) {
  std::filesystem::create_directories(options.out);
  const Specification small = options.shrink ? shrunk(spec, choice, one.kind) : spec;
  std::ofstream file(fmt::format("{}/{}-{}.yaml", options.out, one.kind, spec.seed));
  std::string detail = one.detail;
  for (std::size_t at = 0; (at = detail.find('\n', at)) != std::string::npos; ++at)
    detail.replace(at, 1, "\n# ");
  file << fmt::format("# {}: {}\n# {}\n", one.kind, detail, choice.text()) << model_text(small);
}

void run_one(std::uint64_t seed, const Options& options, Tally& tally) {
  const double start = now();
  const Drawn drawn = draw(seed);
  tally.attempts += drawn.attempts;
  ++tally.mechanisms;
  count_parts(drawn.spec, drawn.reference, tally);
  const double drawn_at = now();
  tally.drawing += drawn_at - start;
  std::vector<std::pair<PlanChoice, Verdict>> verdicts;
  try {
    const Mechanism mechanism = mechanism_of(drawn.spec);
    for (int plan = 0; plan <= options.plans; ++plan) {
      const PlanChoice choice =
          plan == 0 ? PlanChoice() : draw_plan(mechanism, 3 * seed + static_cast<std::uint64_t>(plan));
      // Named before it runs, so that one that never ends is seen.
      if (options.verbose)
        fmt::print("{} {} bodies, {}: ", seed, drawn.spec.bodies.size(), choice.text()), std::fflush(stdout);
      verdicts.emplace_back(choice, judge(drawn.spec, mechanism, drawn.reference, choice));
      const Verdict& verdict = verdicts.back().second;
      if (options.verbose) fmt::print("{} {:.1e} {:.3f} s\n", verdict.status, verdict.worst, verdict.seconds);
      ++tally.methods[choice.is_default() ? "default plan" : choice.coordinates + " " + choice.formulation];
    }
  } catch (const std::invalid_argument& error) {
    verdicts.push_back({PlanChoice(), {"refused", 0, 0, {{"refused", error.what()}}}});
  }
  tally.running += now() - drawn_at;
  bool fails = false, known = false;
  for (const auto& [choice, verdict] : verdicts) {
    ++tally.runs;
    ++tally.statuses[(choice.is_default() ? "default plan: " : "other plans: ") + verdict.status];
    std::string seen;
    for (const Disagreement& one : verdict.disagreements) {
      if (one.kind == seen) continue;
      seen = one.kind;
      const bool explained = tally.explained.contains(fmt::format("{} {}", seed, one.kind));
      (explained ? known : fails) = true;
      ++tally.disagreements[explained ? one.kind + ", explained" : one.kind];
      fmt::print("{} {}{}, {}: {}\n", seed, one.kind, explained ? " (explained)" : "", choice.text(),
                 one.detail);
      if (explained) continue;
      write_failure(options, drawn.spec, choice, one);
    }
  }
  tally.failing += fails ? 1 : 0;
  tally.known += known && !fails ? 1 : 0;
  if (!fails && !known && !options.keep.empty()) tally.agreeing.push_back(drawn.spec);
  std::fflush(stdout);
}

}  // namespace

bool run_random(const Options& options) {
  Tally tally;
  tally.explained = read_explained(options.explained);
  for (const std::uint64_t seed : options.seeds) run_one(seed, options, tally);
  for (std::uint64_t k = 0; options.seeds.empty() && k < options.count; ++k) {
    if (k % kProgress == 0) fmt::print(stderr, "seed {}: {} of {}\n", options.seed + k, k, options.count);
    run_one(options.seed + k, options, tally);
  }
  for (const auto* list : {&tally.kinds, &tally.methods, &tally.statuses, &tally.disagreements})
    for (const auto& [name, count] : *list) fmt::print("{:>7} {}\n", count, name);
  fmt::print(
      "{} mechanisms of {} drawn, {} runs; {} mechanisms disagree, and {} for a known reason; {:.0f} s "
      "drawing, {:.0f} s running\n",
      tally.mechanisms, tally.attempts, tally.runs, tally.failing, tally.known, tally.drawing, tally.running);
  if (!options.keep.empty()) {
    std::vector<Specification> kept;
    for (std::size_t k : most_different(tally.agreeing, options.kept)) kept.push_back(tally.agreeing[k]);
    write_kept(kept, options.keep);
  }
  return tally.failing == 0;
}

}  // namespace trammel::campaigns::random
