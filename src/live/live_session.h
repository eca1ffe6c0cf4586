// LiveSession: a LiveRun on a thread and a clock of its own.
//
// The thread steps in real time, times a speed, and never waits for anyone. Commands come through a bounded
// queue and are carried out between steps; together they take at most a fifth of the thread's time, so that a
// flood of edits does not slow the motion. What others see is a Snapshot, swapped as a whole; what they are
// told comes through one callback, on this thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "live/history.h"
#include "live/live_run.h"
#include "live/snapshot.h"

namespace trammel::live {

class LiveSession {
 public:
  using Reply = std::function<void(Json)>;
  using Tell = std::function<void(Json)>;

  // `open-model` and `save` look and write in the model's own folder only. Throws std::runtime_error when the
  // model cannot be opened.
  LiveSession(LiveSource source, std::string journal_path, Tell tell);
  // No model yet: the first comes by `open-model` or `new-model`.
  LiveSession(const std::string& folder, std::string journal_path, Tell tell);
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // Any thread. False when the queue is full. The reply is called on the session's thread.
  [[nodiscard]] bool post(Json command, Reply reply);
  // Null while there is no model.
  std::shared_ptr<const Snapshot> snapshot() const;
  // Files of other folders that may be opened too, by their full names. Before the first command.
  void allow(std::vector<std::string> files) { allowed_ = std::move(files); }
  // Which groups of signals someone wants to see.
  void want(unsigned groups) { wanted_ = groups; }
  // Any thread. `done` is called on the thread of the reader, or with an error on the session's. False when
  // the queue is full.
  [[nodiscard]] bool read(HistoryRequest request, HistoryReader::Done done);
  // The motion begins: it waits for the first who looks.
  void begin();
  // Nobody looks: then nothing is made to be seen.
  void watch(bool watched) { watched_ = watched; }
  // Ends the thread and the journal.
  void stop();

  std::string folder() const;
  // Journals with something in them; once stopped.
  const std::vector<std::string>& journals() const { return journals_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Command {
    Json json;
    Reply reply;
    std::function<void()> act{};  // instead of them
  };

  void loop();
  void serve_commands();
  Json carry_out(const Json& command);
  Json edit(const Json& command);
  void end_drag();
  Json save(const Json& command);
  Json open_model(const Json& command);
  Json new_model(const Json& command);
  void open(LiveSource source);
  std::string journal_for(const std::string& model);
  void finish_run();
  Json step_by(const Json& command);
  void advance();
  void one_step();
  void measure();
  void restart_clock();
  void publish();
  void refresh_model();
  void say(const char* level, const std::string& text);
  std::string file_in_folder(const std::string& name) const;

  std::string folder_;  // changed and read under the snapshot's mutex
  std::vector<std::string> allowed_;
  std::string journal_path_;           // of the first model
  std::vector<std::string> journals_;  // written
  std::set<std::string> opened_;       // files of journals
  std::unique_ptr<LiveRun> run_;
  std::unique_ptr<LiveSignals> signals_;
  std::shared_ptr<const Snapshot::Model> model_;
  Tell tell_;

  // The clock: simulated time base_t_ belongs to base_.
  Clock::time_point base_, measured_, published_, edits_from_, said_at_;
  double base_t_ = 0, measured_t_ = 0, realtime_ = 1, speed_ = 1;
  bool slow_ = false, paused_ = false, failed_ = false, begun_ = false;
  StepResult last_;
  std::string said_;
  unsigned revisions_before_ = 0;

  mutable std::mutex mutex_;  // of the queue
  std::condition_variable wake_;
  std::deque<Command> queue_;
  mutable std::mutex snapshot_mutex_;  // of the pointer only
  std::shared_ptr<const Snapshot> snapshot_;
  std::atomic<unsigned> wanted_{0};
  std::atomic<bool> watched_{false}, stopping_{false}, begins_{false};
  HistoryReader reader_;
  std::thread thread_;
};

}  // namespace trammel::live
