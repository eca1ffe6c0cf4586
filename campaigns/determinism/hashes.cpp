// trammel_hashes: runs every model by several plans and hashes all bits of its rows and of their errors.
//
//   trammel_hashes FOLDER          prints a line "model plan hash" for each
//   trammel_hashes FOLDER FILE     compares with such lines; status 1 where one differs
//   trammel_hashes FOLDER > FILE   renews the lines, after a change that was meant to change results
//
// The hash is FNV-1a of 64 bits over the bytes of the doubles. Each plan is run three times: twice without
// and once with eight threads, which must agree. All NaN hash alike: their sign and payload mean nothing, and
// compilers differ in them. A plan that does not fit a model has no line.
//
// The first line is the hash of values of the mathematical library (sin, exp, …). Other versions of it, and
// processors without fused multiply-add, round otherwise: then models are run, and not compared.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"
#include "trammel/validate.h"

namespace trammel::campaigns {
namespace {

namespace fs = std::filesystem;

constexpr double kSteps = 200;    // at most, of one size
constexpr double kLongest = 0.4;  // s, with steps that a tolerance chooses
constexpr double kSweeping = 10;  // steps of the modular scheme, each of which is hundreds of sweeps
constexpr double kRows = 20;
constexpr int kThreads = 8;
constexpr const char* kLibrary = "mathematical library";  // in the place of model and plan

struct Setting {
  const char* name;
  void (*set)(Plan&);
};
void choose(Plan& plan, const char* coordinates, const char* formulation) {
  Plan plain;
  plain.coordinates = coordinates;
  plain.formulation = formulation;
  plain.step = plan.step > 0 ? plan.step : std::min(kUsualStep, plan.duration / kSteps);
  plain.duration = plan.duration;
  plan = plain;
}
constexpr std::array kSettings = {
    Setting{"given", [](Plan&) {}},
    Setting{"tolerance",
            [](Plan& plan) {
              choose(plan, plan.coordinates.c_str(), kAutomatic);
              plan.step = 0;
              plan.tolerance = kUsualTolerance;
            }},
    Setting{"reference", [](Plan& plan) { choose(plan, "reference", kAutomatic); }},
    Setting{"relative", [](Plan& plan) { choose(plan, "relative", kAutomatic); }},
    Setting{"lagrange", [](Plan& plan) { choose(plan, plan.coordinates.c_str(), "lagrange"); }},
    Setting{"modular", [](Plan& plan) { choose(plan, "reference", "modular"); }},
};

class Hash {
 public:
  void add(double x) {
    auto bits = std::bit_cast<std::uint64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) value_ = (value_ ^ (bits & 0xff)) * 0x100000001b3;
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Of the functions that expressions and rotations use, at arguments of many sizes.
std::string hash_of_library() {
  Hash hash;
  std::uint64_t random = 1;
  for (int k = 0; k < 2000; ++k) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const double part = static_cast<double>(random >> 11U) * 0x1p-53;  // of [0, 1)
    const double x = std::ldexp(2 * part - 1, k % 12 - 4), y = std::ldexp(part + 0.5, k % 7 - 3);
    for (const double value : {std::sin(x),
                               std::cos(x),
                               std::tan(x),
                               std::asin(2 * part - 1),
                               std::acos(2 * part - 1),
                               std::atan(x),
                               std::atan2(x, y),
                               std::exp(x),
                               std::expm1(x),
                               std::log(y),
                               std::log1p(y),
                               std::log10(y),
                               std::pow(y, x),
                               std::cbrt(x),
                               std::hypot(x, y),
                               std::sinh(x),
                               std::cosh(x),
                               std::tanh(x),
                               std::asinh(x),
                               std::acosh(1 + y),
                               std::atanh(2 * part - 1),
                               std::erf(x)})
      hash.add(value);
  }
  return hash.text();
}

Plan shortened(Plan plan) {
  const double steps = plan.formulation == "modular" ? kSweeping : kSteps;
  plan.duration = std::min(plan.duration, plan.step > 0 ? steps * plan.step : kLongest);
  plan.output_interval = plan.duration / kRows;
  return plan;
}

std::string hash_of(const Mechanism& mechanism, const Plan& plan, const std::shared_ptr<Executor>& executor) {
  Simulation simulation(mechanism, plan, executor);
  const RunResult result = run(simulation);
  Hash hash;
  hash.add(static_cast<double>(result.summary.status));
  for (const double x : result.trajectory.values) hash.add(x);
  for (const double x : result.errors.values) hash.add(x);
  return hash.text();
}

// Nothing where the plan does not fit the model.
std::optional<std::string> hash_of(const Mechanism& mechanism, const Setting& setting) {
  Plan plan = mechanism.plan;
  setting.set(plan);
  plan = shortened(plan);
  if (!check_plan(plan).empty()) return std::nullopt;
  std::string first;
  try {
    first = hash_of(mechanism, plan, nullptr);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  if (hash_of(mechanism, plan, nullptr) != first) throw std::runtime_error("a second run differs");
  if (hash_of(mechanism, plan, std::make_shared<ThreadPool>(kThreads)) != first)
    throw std::runtime_error("eight threads differ from one");
  return first;
}

std::map<std::string, std::string> hashes_of(const fs::path& folder) {
  std::map<std::string, std::string> out{{kLibrary, hash_of_library()}};
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const Mechanism mechanism = read_model(entry.path().string()).value();
    const std::string model = entry.path().lexically_relative(folder).replace_extension().string();
    for (const Setting& setting : kSettings) {
      const std::string name = model + " " + setting.name;
      try {
        if (const auto hash = hash_of(mechanism, setting)) out[name] = *hash;
      } catch (const std::runtime_error& error) {
        throw std::runtime_error(name + ": " + error.what());
      }
    }
  }
  return out;
}

std::map<std::string, std::string> read(const std::string& path) {
  std::map<std::string, std::string> out;
  std::ifstream file(path);
  for (std::string model, plan, hash; file >> model >> plan >> hash;) out[model + " " + plan] = hash;
  if (out.empty()) throw std::runtime_error(fmt::format("there are no hashes in '{}'", path));
  return out;
}

bool compare(const std::map<std::string, std::string>& hashes,
             const std::map<std::string, std::string>& kept) {
  if (const auto at = kept.find(kLibrary); at == kept.end() || at->second != hashes.at(kLibrary)) {
    fmt::print("Not compared: sin, exp or the like round here otherwise than where the hashes were made.\n");
    return true;
  }
  std::size_t same = 0;
  for (const auto& [name, hash] : hashes) {
    const auto at = kept.find(name);
    if (at != kept.end() && at->second == hash)
      ++same;
    else
      fmt::print("{} {}: {}\n", name, hash, at == kept.end() ? "not in the file" : "differs");
  }
  for (const auto& [name, hash] : kept)
    if (!hashes.contains(name)) fmt::print("{}: only in the file\n", name);
  fmt::print("{} of {} hashes agree\n", same, kept.size());
  const bool all = same == kept.size() && same == hashes.size();
  if (!all)
    fmt::print("If results are meant to change: trammel_hashes models > campaigns/determinism/hashes.txt\n");
  return all;
}

}  // namespace
}  // namespace trammel::campaigns

int main(int argc, char** argv) {
  using namespace trammel::campaigns;
  try {
    if (argc < 2 || argc > 3) throw std::runtime_error("usage: trammel_hashes FOLDER [FILE]");
    const auto hashes = hashes_of(argv[1]);
    if (argc == 3) return compare(hashes, read(argv[2])) ? 0 : 1;
    for (const auto& [name, hash] : hashes) fmt::print("{} {}\n", name, hash);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
