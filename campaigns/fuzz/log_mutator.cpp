// How libFuzzer mutates results logs: bytes as damage does, and whole records with checksums that fit.
#include <nlohmann/json.hpp>
#include <vector>

#include "libfuzzer_mutators.h"
#include "log_records.h"
#include "tree_mutator.h"

namespace {

using trammel::fuzz::LogRecord;
using trammel::fuzz::Tree;
using trammel::fuzz::TreeMutator;

const trammel::fuzz::Vocabulary kVocabulary = {
    {{"model", "plan", "channels", "version", "creation"},
     {"group", "dataset", "component", "unit", "name", "may_be_missing"}},
    {"time", "t", "s", "position", "x", "m"},
    {Tree::parse(
        R"({"group": "", "dataset": "time", "component": "", "unit": "s", "name": "t", "may_be_missing": false})")}};

std::string mutated_payload(const std::string& payload, TreeMutator& mutator) {
  Tree json = Tree::parse(payload, nullptr, false);
  if (json.is_structured() && mutator.below(4) != 0) {
    mutator.mutate(json);
    return json.dump(-1, ' ', false, Tree::error_handler_t::replace);
  }
  std::string bytes = payload;
  bytes.resize(payload.size() + 16);
  auto* data = reinterpret_cast<std::uint8_t*>(bytes.data());
  bytes.resize(LLVMFuzzerMutate(data, payload.size(), bytes.size()));
  return bytes;
}

void change(std::vector<LogRecord>& records, TreeMutator& mutator) {
  if (records.empty()) return records.push_back({'H', "{}", true});
  const std::size_t k = mutator.below(records.size());
  switch (mutator.below(5)) {
    case 0: {
      const LogRecord copy = records[k];
      return records.push_back(copy);
    }
    case 1:
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(k));
      return;
    case 2:
      records[k].type = "HRES?"[mutator.below(5)];
      return;
    default:
      records[k].payload = mutated_payload(records[k].payload, mutator);
  }
}

std::string mutated_log(const std::string& log, unsigned seed) {
  TreeMutator mutator(kVocabulary, seed);
  std::vector<LogRecord> records = trammel::fuzz::records_of(log);
  change(records, mutator);
  return trammel::fuzz::log_of(records);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return trammel::fuzz::mutate(data, size, max_size, seed, mutated_log);
}
