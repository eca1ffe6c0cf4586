// The runs that a fit or an optimization has computed, on the disk. Both are functions of their options:
// started again, they ask for the same values in the same order, and get what is there already.
//
//   "TRAMFIT\n"  fingerprint of the problem (u64)  record…, as those of a chunk (chunk_file.h)
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "sweep/variants.h"
#include "trammel/executor.h"

namespace trammel::sweep {

class EvaluationLog {
 public:
  // A folder that holds another problem is refused, with what differs, by std::invalid_argument. An empty
  // path: nothing is kept.
  EvaluationLog(const std::filesystem::path& folder, const std::string& description, bool resume);
  ~EvaluationLog();
  EvaluationLog(const EvaluationLog&) = delete;
  EvaluationLog& operator=(const EvaluationLog&) = delete;

  // Of these values of the parameters, from the log or by a run. Several threads may ask at once.
  SweepRow row(const Variants& variants, const std::vector<double>& values);
  // The same of many, side by side where there is an executor.
  std::vector<SweepRow> rows(const Variants& variants, const std::vector<std::vector<double>>& values,
                             Executor* executor);

  // True stops runs and further ones: they throw Stopped.
  std::function<bool()> stops;
  struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
  };

  long computed() const { return computed_; }  // by this call
  long known() const { return known_; }        // before it, and asked for

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::mutex mutex_;
  std::map<std::vector<double>, SweepRow> there_, new_;
  long computed_ = 0, known_ = 0;
};

}  // namespace trammel::sweep
