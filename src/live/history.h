// History: signals, places and poses of steps that lie in the past of a live run.
//
// What is read comes from every step that is asked for: steps that are not kept are made again, to the same
// bits. A HistoryReader does this on a thread of its own, from a copy of what is kept, so that the run itself
// goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "live/live_signals.h"
#include "live/past.h"

namespace trammel::live {

// Rows of one answer: a client asks for the next ones when it has these.
inline constexpr long kMostRows = 20'000;

struct HistoryRequest {
  std::vector<std::string> signals;
  struct Place {
    std::string body;
    Vec3 at;  // body axes
  };
  std::vector<Place> places;
  bool poses = false;
  long from = 0, to = 0, every = 1;        // steps
  std::optional<double> from_t{}, to_t{};  // s, instead
  int branch = 0;                          // 0: the present one
};
// Throws std::invalid_argument, with a message for a person.
HistoryRequest history_request(const Json& command);

// Steps of one stretch that are to be read, with what is kept of it.
struct HistoryPart {
  Stretch stretch;
  long begin = 0, end = 0;
};
struct HistoryJob {
  HistoryRequest request;
  int branch = 0;
  long last = 0;  // of the branch
  std::vector<HistoryPart> parts;
};
// Limits the request to what the branch has, and to kMostRows. Throws std::invalid_argument for a branch that
// is not there.
HistoryJob history_job(const Past& past, HistoryRequest request);

struct HistoryBlock {
  int branch = 0;
  long first = 0, every = 1, last = 0;  // steps; last: of the branch, when it was asked
  std::size_t columns = 0, bodies = 0;
  std::vector<double> t;       // one per row
  std::vector<double> values;  // row after row; NaN: not known there
  std::vector<float> poses;    // row after row: x y z of the origin, quaternion w x y z, per body
};

// Simulations of recipes that were read last.
class HistoryCache {
 public:
  struct Entry {
    std::shared_ptr<const Recipe> recipe;
    std::unique_ptr<Simulation> simulation;
    std::unique_ptr<LiveSignals> signals;
  };
  Entry& of(const std::shared_ptr<const Recipe>& recipe, const State& state);

 private:
  std::deque<Entry> entries_;
};

// Throws std::runtime_error where a step that was made before fails.
HistoryBlock read_history(const HistoryJob& job, HistoryCache& cache);

class HistoryReader {
 public:
  using Done = std::function<void(HistoryBlock block, std::string error)>;

  HistoryReader();
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  // `done` is called on the reader's thread. False: too many wait.
  [[nodiscard]] bool read(HistoryJob job, Done done);

 private:
  void loop();

  std::mutex mutex_;  // of the queue
  std::condition_variable wake_;
  std::deque<std::pair<HistoryJob, Done>> queue_;
  std::atomic<bool> stopping_{false};
  HistoryCache cache_;
  std::thread thread_;
};

}  // namespace trammel::live
