// FitJudge: finds, on a thread of its own, how the model that runs can move, and which formulations do not
// fit it.
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
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "trammel/mechanism.h"

namespace trammel::server {

// Formulations that the model does not take with its coordinates, and why.
using Unfit = std::map<std::string, std::string>;

class FitJudge {
 public:
  using Answer = std::function<void(Unfit)>;
  // The model, and what a page is told of its mobility (mobility_event.h).
  using TellMobility = std::function<void(std::shared_ptr<const Mechanism>, nlohmann::ordered_json)>;

  // The answers are given on the judge's thread: mobility first.
  FitJudge(Answer answer, TellMobility mobility);
  ~FitJudge();
  FitJudge(const FitJudge&) = delete;
  FitJudge& operator=(const FitJudge&) = delete;

  void ask(std::shared_ptr<const Mechanism> mechanism);

 private:
  void loop();
  Unfit judge(const Mechanism& mechanism) const;

  Answer answer_;
  TellMobility tell_mobility_;
  std::mutex mutex_;  // of the question
  std::condition_variable wake_;
  std::shared_ptr<const Mechanism> question_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace trammel::server
