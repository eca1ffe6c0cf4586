// Trials: studies of the model (live/study.h), one after the other on a thread of their own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "live/json_fields.h"

namespace trammel::server {

class Trials {
 public:
  using Answer = std::function<void(live::Json)>;
  Trials() : thread_([this] { loop(); }) {}
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  // False: too many wait. The answer is given on this object's thread.
  [[nodiscard]] bool ask(std::string text, std::string file, live::Json command, Answer answer);

 private:
  struct Question {
    std::string text, file;
    live::Json command;
    Answer answer;
  };
  void loop();

  std::mutex mutex_;  // of the queue
  std::condition_variable wake_;
  std::deque<Question> queue_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace trammel::server
