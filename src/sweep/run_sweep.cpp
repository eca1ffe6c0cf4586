// The runs of a sweep, into its folder:
//
//   sweep.json           what the sweep is
//   runs.csv             a copy of its table of runs, where it has one
//   chunks/0000012.chunk results of its chunks
//   sweep.h5             all of them, when none is missing
//
// Every file is a function of the sweep alone. Processes may join and be killed at any time: a chunk is there
// as a whole or not at all, and what two of them compute twice has the same bytes.
#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "results/files/results_file.h"
#include "sweep/chunk_file.h"
#include "sweep/parts.h"
#include "sweep/sweep_report.h"
#include "trammel/results.h"
#include "trammel/sweep.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

void write_whole(const fs::path& path, const std::string& text) {
  results::PartialFile partial(path);
  results::OutputFile file(partial.path(), path);
  file.write(text);
  file.close();
  partial.commit();
}

// The folder is this sweep's: made so, or found so.
void prepare(const Sweep& sweep, const fs::path& folder, bool resume) {
  const fs::path path = folder / "sweep.json";
  if (fs::exists(path)) {
    const std::string there = sweep::read_text_file(path), here = sweep.description();
    if (there != here)
      throw std::invalid_argument(
          fmt::format("'{}' holds another sweep: {}; give another folder, or remove this one",
                      folder.string(), sweep::differences(there, here)));
    if (!resume)
      throw std::invalid_argument(fmt::format(
          "'{}' holds runs of this sweep; --resume goes on with it (or remove the folder)", folder.string()));
    return;
  }
  std::error_code error;
  fs::create_directories(folder / "chunks", error);
  if (error)
    throw results::WriteError(
        fmt::format("cannot make the folder '{}': {}", (folder / "chunks").string(), error.message()));
  if (!sweep.spec().table.empty()) write_whole(folder / "runs.csv", sweep.parts().table);
  write_whole(path, sweep.description());
}

// Counts runs, and asks the caller whether to go on.
class Counter {
 public:
  Counter(std::uint64_t runs, const std::function<bool(const SweepProgress&)>& progress)
      : progress_(progress) {
    now_.runs = runs;
  }

  void add(const SweepRow& row, bool resumed) {
    const std::lock_guard lock(mutex_);
    ++now_.finished;
    now_.failed += row.status == RunStatus::failed ? 1 : 0;
    now_.resumed += resumed ? 1 : 0;
  }
  bool goes_on() {
    const std::lock_guard lock(mutex_);
    goes_on_ = goes_on_ && (!progress_ || progress_(now_));
    return goes_on_;
  }
  // The first exception of any thread stops all.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    goes_on_ = false;
  }
  SweepProgress finish() {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    return now_;
  }

 private:
  const std::function<bool(const SweepProgress&)>& progress_;
  std::mutex mutex_;
  SweepProgress now_;
  std::exception_ptr error_;
  bool goes_on_ = true;
};

std::uint64_t last_run(const Sweep& sweep, std::uint64_t chunk) {
  return std::min(sweep.runs(), (chunk + 1) * sweep.chunk_size());
}

void compute_chunk(const Sweep& sweep, const fs::path& folder, std::uint64_t chunk, std::uint64_t wanted,
                   Counter& counter) {
  if (const auto there = sweep::read_chunk(folder, chunk, wanted, sweep)) {
    for (const auto& [run, row] : *there) counter.add(row, true);
    return;
  }
  if (!counter.goes_on()) return;
  const sweep::PartialChunk left = sweep::read_partial_chunk(folder, chunk, wanted, sweep);
  sweep::ChunkWriter writer(folder, chunk, wanted);
  // First what is there, so that it survives if this process is killed too.
  for (const auto& [run, row] : left.records) writer.add(run, row), counter.add(row, true);
  bool complete = true;
  for (std::uint64_t run = chunk * sweep.chunk_size(); run < last_run(sweep, chunk); ++run) {
    if (left.records.contains(run)) continue;
    if (!counter.goes_on()) return;
    const SweepRow row = sweep.compute(run, [&](double) { return counter.goes_on(); });
    if (row.status == RunStatus::stopped) return;
    writer.add(run, row);
    counter.add(row, false);
    complete = complete && counter.goes_on();
  }
  writer.finish(left.files);
}

}  // namespace

void run_chunk(const Sweep& sweep, const fs::path& folder, std::uint64_t chunk,
               const std::function<bool(const SweepProgress&)>& progress) {
  if (chunk >= sweep.chunks())
    throw std::invalid_argument(fmt::format("there is no chunk {}; the sweep has {}", chunk, sweep.chunks()));
  prepare(sweep, folder, true);
  Counter counter(last_run(sweep, chunk) - chunk * sweep.chunk_size(), progress);
  compute_chunk(sweep, folder, chunk, sweep::fingerprint(sweep.description()), counter);
}

SweepSummary run_sweep(const Sweep& sweep, const fs::path& folder, const SweepOptions& options) {
  if (options.parts == 0 || options.part >= options.parts)
    throw std::invalid_argument(fmt::format("there is no part {} of {}; give a part from 0 to {}",
                                            options.part, options.parts,
                                            options.parts == 0 ? 0 : options.parts - 1));
  prepare(sweep, folder, options.resume);
  const std::uint64_t wanted = sweep::fingerprint(sweep.description());
  std::vector<std::uint64_t> chunks;
  std::uint64_t runs = 0;
  for (std::uint64_t chunk = options.part; chunk < sweep.chunks(); chunk += options.parts) {
    chunks.push_back(chunk);
    runs += last_run(sweep, chunk) - chunk * sweep.chunk_size();
  }
  Counter counter(runs, options.progress);
  const auto task = [&](std::size_t k) {
    try {
      compute_chunk(sweep, folder, chunks[k], wanted, counter);
    } catch (...) {
      counter.fail(std::current_exception());
    }
  };
  if (options.executor != nullptr)
    options.executor->run(chunks.size(), task);
  else
    for (std::size_t k = 0; k < chunks.size(); ++k) task(k);
  const SweepProgress reached = counter.finish();
  SweepSummary summary{sweep.runs(), reached.finished - reached.failed, reached.failed, reached.resumed,
                       false};
  if (reached.finished < reached.runs) return summary;
  for (std::uint64_t chunk = 0; chunk < sweep.chunks(); ++chunk)
    if (!fs::exists(sweep::chunk_path(folder, chunk))) return summary;
  const SweepSummary merged = merge_sweep(sweep, folder);
  summary.done = merged.done, summary.failed = merged.failed, summary.merged = true;
  // What other parts have computed.
  if (options.parts > 1) summary.resumed = sweep.runs() - (reached.finished - reached.resumed);
  return summary;
}

void report_sweep(const Sweep& sweep, const fs::path& folder, std::size_t most_reports) {
  const SweepTable table = read_sweep(folder / "sweep.h5");
  std::vector<std::uint64_t> reports;
  for (const std::uint64_t run : sweep::extreme_runs(table, most_reports)) {
    const Mechanism model = sweep.model(run);
    Simulation simulation(model, model.plan);
    const std::string page = report_html(simulation, trammel::run(simulation));
    if (page.empty()) break;  // the library was built without its pages
    const fs::path place = folder / "runs" / std::to_string(run);
    fs::create_directories(place);
    write_whole(place / "report.html", page);
    reports.push_back(run);
  }
  write_whole(folder / "report.html", sweep::sweep_page(sweep, table, reports));
}

}  // namespace trammel
