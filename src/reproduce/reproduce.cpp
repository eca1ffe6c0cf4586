#include "reproduce/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace trammel::reproduce {
namespace {

// Without all of what it needs a row is not run; a build may lack only what papers.yaml lists.
bool mark_missing(const std::vector<std::string>& needs,
                  const std::map<std::string, std::string>& optional_features, RowResult& result) {
  const std::string missing = first_missing(needs);
  if (missing.empty()) return false;
  const auto listed = optional_features.find(missing);
  result.judgement.verdict = listed == optional_features.end() ? Verdict::failed : Verdict::not_run;
  result.note = fmt::format("this build has no {}", missing);
  if (listed != optional_features.end()) result.note += ": " + listed->second;
  result.ours = "–";
  return true;
}

void compare_with_record(RowResult& result) {
  result.verdict = to_string(result.judgement);
  if (result.recorded.empty() || result.judgement.verdict == Verdict::not_run) return;
  // a time is of the machine, and of what else runs there
  if (result.row.key.ends_with("/time") && result.judgement.verdict != Verdict::failed) return;
  // of a sensitive figure only the behaviour can be held against the record
  const double least = result.row.sensitive.empty() ? 0 : badness("same behaviour");
  result.worse = badness(result.verdict) > std::max(least, badness(result.recorded) * (1 + 1e-9));
}

std::string ours_of(const Row& row, const Measured& measured) {
  return measured.text.empty() ? shown(measured.value, row.published) : measured.text;
}

RowResult blank_row(const Paper& paper, const Item& item, const Row& row) {
  RowResult result;
  result.row = row;
  result.note = row.note;
  const auto recorded = paper.recorded.find(item.name + "/" + row.key);
  if (recorded != paper.recorded.end()) result.recorded = recorded->second;
  return result;
}

void fail(RowResult& row, const std::string& why) {
  row.judgement.verdict = Verdict::failed;
  row.ours = "–";
  row.note = why;
}

void check_keys(const Item& item, const Finding& finding) {
  for (const auto& [key, measured] : finding.rows)
    if (std::ranges::find(item.rows, key, &Row::key) == item.rows.end())
      throw std::logic_error(
          fmt::format("{} measures '{}', which figures.yaml does not list", item.id(), key));
}

void judge_rows(const Finding& finding, ItemResult& result) {
  check_keys(result.item, finding);
  for (RowResult& row : result.rows) {
    if (row.judgement.verdict == Verdict::not_run || row.judgement.verdict == Verdict::failed) continue;
    const auto found = finding.rows.find(row.row.key);
    if (found == finding.rows.end())
      throw std::logic_error(fmt::format("{} does not measure '{}'", result.item.id(), row.row.key));
    row.measured = found->second;
    if (!row.measured.failure.empty()) {
      fail(row, row.measured.failure);
      continue;
    }
    row.judgement = judge(row.row, row.measured);
    row.ours = ours_of(row.row, row.measured);
    if (row.judgement.verdict == Verdict::failed)
      row.note = fmt::format("{} exceeds the bound {:.0e}: {}", row.ours, row.row.bound, row.row.why);
  }
}

ItemResult run_item(const Paper& paper, const Item& item,
                    const std::map<std::string, std::string>& optional_features) {
  ItemResult result{item, {}, {}};
  bool any = false;
  for (const Row& row : item.rows) {
    result.rows.push_back(blank_row(paper, item, row));
    if (!mark_missing(item.needs, optional_features, result.rows.back()) &&
        !mark_missing(row.needs, optional_features, result.rows.back()))
      any = true;
  }
  const auto measures = all_measures().find(item.paper);
  if (measures == all_measures().end() || measures->second.count(item.name) == 0)
    throw std::logic_error(fmt::format("nothing measures {}", item.id()));
  if (any) {
    try {
      Finding finding = measures->second.at(item.name)(item);
      judge_rows(finding, result);
      result.pictures = std::move(finding.pictures);
    } catch (const std::exception& error) {
      for (RowResult& row : result.rows) {
        if (row.judgement.verdict != Verdict::not_run) fail(row, error.what());
      }
    }
  }
  for (RowResult& row : result.rows) compare_with_record(row);
  return result;
}

}  // namespace

const std::map<std::string, Measures>& all_measures() {
  static const std::map<std::string, Measures> all{{"bayo-ledesma", bayo_ledesma_measures()},
                                                   {"garcia-de-jalon-bayo", chapter5_measures()},
                                                   {"gonzalez", gonzalez_measures()},
                                                   {"joli", joli_measures()},
                                                   {"welch", welch_measures()},
                                                   {"benchmarks", benchmark_measures()}};
  return all;
}

std::vector<Paper> selected(std::vector<Paper> papers, const std::string& wanted) {
  if (wanted.empty()) return papers;
  const std::size_t slash = wanted.find('/');
  const std::string paper_name = wanted.substr(0, slash);
  const auto paper =
      std::find_if(papers.begin(), papers.end(), [&](const Paper& p) { return p.name == paper_name; });
  if (paper == papers.end()) {
    std::vector<std::string> names;
    for (const Paper& p : papers) names.push_back(p.name);
    throw std::runtime_error(
        fmt::format("there is no paper '{}'; choose one of: {}", paper_name, fmt::join(names, ", ")));
  }
  Paper out = std::move(*paper);
  if (slash == std::string::npos) return {std::move(out)};
  const std::string item_name = wanted.substr(slash + 1);
  std::vector<std::string> names;
  for (const Item& item : out.items) names.push_back(item.name);
  std::erase_if(out.items, [&](const Item& item) { return item.name != item_name; });
  if (out.items.empty())
    throw std::runtime_error(fmt::format("'{}' has no item '{}'; choose one of: {}", paper_name, item_name,
                                         fmt::join(names, ", ")));
  return {std::move(out)};
}

std::vector<PaperResult> reproduce(const std::vector<Paper>& papers,
                                   const std::map<std::string, std::string>& optional_features,
                                   const std::function<void(const std::string&)>& started) {
  std::vector<PaperResult> results;
  std::vector<std::pair<std::size_t, std::size_t>> work;
  for (std::size_t p = 0; p < papers.size(); ++p) {
    results.push_back({papers[p], std::vector<ItemResult>(papers[p].items.size())});
    for (std::size_t i = 0; i < papers[p].items.size(); ++i) work.emplace_back(p, i);
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr defect;
  const auto worker = [&] {
    for (std::size_t k = next++; k < work.size(); k = next++) {
      const auto [p, i] = work[k];
      const Item& item = papers[p].items[i];
      try {
        if (started) {
          const std::lock_guard lock(mutex);
          started(item.id());
        }
        results[p].items[i] = run_item(papers[p], item, optional_features);
      } catch (...) {
        const std::lock_guard lock(mutex);
        defect = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 1; k < std::min(2U, std::thread::hardware_concurrency()); ++k)
      threads.emplace_back(worker);
    worker();
  }
  if (defect) std::rethrow_exception(defect);
  return results;
}

std::vector<std::string> regressions(const std::vector<PaperResult>& results) {
  std::vector<std::string> lines;
  for (const PaperResult& paper : results)
    for (const ItemResult& item : paper.items)
      for (const RowResult& row : item.rows) {
        const std::string id = fmt::format("{}/{}", item.item.id(), row.row.key);
        if (row.judgement.verdict == Verdict::failed)
          lines.push_back(fmt::format("{}: failed: {}", id, row.note));
        else if (row.recorded.empty())
          lines.push_back(fmt::format("{}: {}, and no verdict is recorded", id, row.verdict));
        else if (row.worse)
          lines.push_back(fmt::format("{}: {}, recorded was '{}'{}", id, row.verdict, row.recorded,
                                      row.note.empty() ? "" : " (" + row.note + ")"));
      }
  return lines;
}

}  // namespace trammel::reproduce
