// The commands of the program. Each returns the exit status: 0 done, 2 bad input, 3 the numbers failed. Files
// that cannot be read or written throw std::runtime_error.
#pragma once

#include <string>
#include <vector>

namespace trammel::app {

inline constexpr int kDone = 0;
inline constexpr int kBadInput = 2;
inline constexpr int kNumbersFailed = 3;

// Which model, and what the command line changes in it.
struct ModelOptions {
  std::string path;
  std::vector<std::string> set;       // path=value
  std::vector<std::string> simulate;  // --step=0.01: keys of `simulate:` that are options of their own

  // All as read_model() takes them; the options win.
  std::vector<std::string> settings() const {
    std::vector<std::string> all = set;
    all.insert(all.end(), simulate.begin(), simulate.end());
    return all;
  }
};

struct RunOptions {
  ModelOptions model;
  std::string out;
  bool csv = false, quiet = false;
  bool no_report = false, no_log = false;
  std::string save_end;              // model file; none: not saved
  double checkpoint = 1;             // s of wall time between two checkpoints of the log, at least
  std::vector<std::string> command;  // the words of the command line
};

struct CheckOptions {
  ModelOptions model;
  bool json = false;
};

int run_command(const RunOptions& options);
// options.model.path is the folder of a run, or its log; settings, out and command are not used.
int resume_command(const RunOptions& options);
int check_command(const CheckOptions& options);
struct CompareOptions {
  ModelOptions model;
  std::vector<std::string> formulations;  // none: all
  std::vector<std::string> integrators;   // none: the model's own
  std::string report;                     // file of the report page; none: no page
  bool precision = false;                 // also several steps or tolerances for each
  bool json = false;
};

// Without a model: every kind of mechanism.
struct FormulationsOptions {
  ModelOptions model;
  bool json = false, markdown = false;
};

struct ViewOptions {
  ModelOptions model;
  int port = 0;         // any free one
  std::string journal;  // file; none: results/<model>/journal.jsonl
  bool no_browser = false;
  bool share = false;    // others on the network may watch
  bool measure = false;  // only tell what a frame costs
};

struct ReplayOptions {
  std::string journal;
  std::string save;  // model file; none: not saved
  bool json = false;
};

int compare_command(const CompareOptions& options);
int formulations_command(const FormulationsOptions& options);

struct ReproduceOptions {
  std::string wanted;  // PAPER or PAPER/ITEM; none: everything
  std::string papers;  // folder; none: the one above the program
  std::string out;     // file of the page; none: no page
  bool list = false, json = false, record = false;
};
int reproduce_command(const ReproduceOptions& options);

struct BenchOptions {
  std::vector<std::string> problems;  // none: all
  bool json = false, quick = false;
  std::string page;  // file of the page; none: no page
};
// Gives way to trammel_bench, whose exit status becomes the program's.
int bench_command(const BenchOptions& options);

int recover_command(const std::string& folder, bool csv);
int view_command(const ViewOptions& options);
int replay_command(const ReplayOptions& options);

}  // namespace trammel::app
