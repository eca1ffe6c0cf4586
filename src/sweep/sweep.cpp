#include "trammel/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sweep/chunk_file.h"
#include "sweep/parts.h"
#include "trammel/version.h"

namespace trammel {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
// Chunks are so many that threads have even work, and so large that writing one costs little beside it.
constexpr std::uint64_t kWantedChunks = 64, kLargestChunk = 256;
// Runs that are tried for a start that can be assembled, to learn the names of columns.
constexpr std::uint64_t kTriedRuns = 100;

Json spec_json(const SweepSpec& spec) {
  return {{"vary", spec.vary},     {"table", spec.table}, {"sample", spec.sample},   {"runs", spec.runs},
          {"design", spec.design}, {"seed", spec.seed},   {"observe", spec.observe}, {"verify", spec.verify}};
}

Json columns_json(const std::vector<SweepColumn>& columns) {
  Json all = Json::array();
  for (const SweepColumn& one : columns) {
    Json column = {{"name", one.name}, {"text", one.text}, {"unit", one.unit}};
    if (!one.points.empty()) {
      column["points"] = one.points;
      column["point_unit"] = one.point_unit;
    }
    all.push_back(std::move(column));
  }
  return all;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

Sweep::Parts::Parts(const Mechanism& given, SweepSpec wanted, std::string table_text)
    : spec(std::move(wanted)),
      table(std::move(table_text)),
      variants(given, sweep::varied_names(spec, table), spec.verify, errors) {
  if (errors.empty()) plan.emplace(spec, table, variants.known_names(), variants.units(), errors);
  if (!errors.empty()) return;
  chunk_size = std::clamp<std::uint64_t>(plan->runs() / kWantedChunks, 1, kLargestChunk);
  variants.observe(
      spec.observe, std::min(kTriedRuns, plan->runs()),
      [this](std::uint64_t run) { return plan->values(run); }, {}, errors);
  if (errors.empty()) describe();
}

void Sweep::Parts::describe() {
  Json told = {{"format", kFormat},
               {"trammel_version", TRAMMEL_VERSION},
               {"name", variants.mechanism().name},
               {"spec", spec_json(spec)},
               {"runs", plan->runs()},
               {"chunk_size", chunk_size},
               {"parameters", plan->names()},
               {"observations", columns_json(variants.observations().columns())},
               {"model", variants.text()}};
  if (!spec.table.empty()) told["table_hash"] = sweep::fingerprint(table);
  description = told.dump(1) + "\n";
}

Sweep::Sweep(const Mechanism& mechanism, const SweepSpec& spec)
    : parts_(std::make_unique<Parts>(mechanism, spec,
                                     spec.table.empty() ? "" : sweep::read_text_file(spec.table))) {
  if (!parts_->errors.empty()) throw std::invalid_argument(joined(parts_->errors));
}

Sweep::Sweep(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {
  if (!parts_->errors.empty()) throw std::invalid_argument(joined(parts_->errors));
}

Sweep::~Sweep() = default;
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;

const Mechanism& Sweep::mechanism() const { return parts_->variants.mechanism(); }
const SweepSpec& Sweep::spec() const { return parts_->spec; }
std::uint64_t Sweep::runs() const { return parts_->plan->runs(); }
std::uint64_t Sweep::chunk_size() const { return parts_->chunk_size; }
std::uint64_t Sweep::chunks() const { return (runs() + chunk_size() - 1) / chunk_size(); }
const std::vector<std::string>& Sweep::parameters() const { return parts_->plan->names(); }
const std::vector<SweepColumn>& Sweep::observations() const {
  return parts_->variants.observations().columns();
}
std::vector<double> Sweep::values(std::uint64_t run) const { return parts_->plan->values(run); }
Mechanism Sweep::model(std::uint64_t run) const { return parts_->variants.model(values(run)); }
SweepRow Sweep::compute(std::uint64_t run, const Progress& progress) const {
  return parts_->variants.compute(values(run), progress);
}
std::string Sweep::description() const { return parts_->description; }

std::string sweep::differences(const std::string& there, const std::string& here) {
  const Json a = Json::parse(there, nullptr, false), b = Json::parse(here, nullptr, false);
  if (!a.is_object() || !b.is_object()) return "its sweep.json cannot be read";
  std::vector<std::string> told;
  const auto compare = [&](const Json& x, const Json& y, const std::string& key) {
    if (x.value(key, Json()) == y.value(key, Json())) return;
    told.push_back(
        fmt::format("{} was {} and is {}", key, x.value(key, Json()).dump(), y.value(key, Json()).dump()));
  };
  const Json empty = Json::object();
  const Json spec_a = a.value("spec", empty), spec_b = b.value("spec", empty);
  for (const char* key : {"vary", "table", "sample", "runs", "design", "seed", "observe", "verify"})
    compare(spec_a, spec_b, key);
  compare(a, b, "trammel_version");
  if (a.value("table_hash", Json()) != b.value("table_hash", Json()))
    told.emplace_back("the table of runs was changed");
  if (a.value("model", "") != b.value("model", "")) told.emplace_back("the model, or its plan, was changed");
  if (told.empty() && there != here) told.emplace_back("it was made by another build of the program");
  return fmt::format("{}", fmt::join(told, "; "));
}

Sweep open_sweep(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "sweep.json";
  if (!std::filesystem::exists(path))
    throw std::runtime_error(fmt::format(
        "there is no sweep.json in '{}'; name the folder that a sweep has written to", folder.string()));
  const std::string text = sweep::read_text_file(path);
  const Json told = Json::parse(text, nullptr, false);
  if (!told.is_object() || !told.contains("spec") || !told.contains("model"))
    throw std::runtime_error(
        fmt::format("'{}' is damaged; start the sweep again in another folder", path.string()));
  if (told["model"].get<std::string>().empty())
    throw std::runtime_error(fmt::format(
        "'{}' holds no model: its mechanism has parts that no file can describe; go on in the program that "
        "began it",
        path.string()));
  const Json& own = told["spec"];
  SweepSpec spec{own["vary"],   own["table"], own["sample"],  own["runs"],
                 own["design"], own["seed"],  own["observe"], own["verify"]};
  ModelInput input = read_model_text(told["model"], path.string(), {}, UnreadOptions::allowed);
  if (input.mechanism.name.empty()) input.mechanism.name = told.value("name", "");
  const std::string table = spec.table.empty() ? "" : sweep::read_text_file(folder / "runs.csv");
  Sweep sweep(std::make_unique<const Sweep::Parts>(std::move(input).value(), std::move(spec), table));
  if (sweep.description() != text)
    throw std::runtime_error(
        fmt::format("cannot go on with the sweep in '{}': {}; use the same program, or start "
                    "again in another folder",
                    folder.string(), sweep::differences(text, sweep.description())));
  return sweep;
}

}  // namespace trammel
