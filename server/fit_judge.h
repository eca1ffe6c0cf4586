// FitJudge: finds, on a thread of its own, which formulations do not fit the model that runs.
//
// Each formulation is assembled for that, which may take longer than a frame: the network thread asks, goes
// on, and sends the answer when it comes. A newer question replaces one that waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "trammel/mechanism.h"

namespace trammel::server {

// Formulations that the model does not take with its coordinates, and why.
using Unfit = std::map<std::string, std::string>;

class FitJudge {
 public:
  using Answer = std::function<void(Unfit)>;

  // The answers are given on the judge's thread.
  explicit FitJudge(Answer answer);
  ~FitJudge();
  FitJudge(const FitJudge&) = delete;
  FitJudge& operator=(const FitJudge&) = delete;

  void ask(std::shared_ptr<const Mechanism> mechanism);

 private:
  void loop();
  Unfit judge(const Mechanism& mechanism) const;

  Answer answer_;
  std::mutex mutex_;  // of the question
  std::condition_variable wake_;
  std::shared_ptr<const Mechanism> question_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace trammel::server
