// ThreadPool: an Executor with threads of its own. Link Trammel::threads.
//
//   trammel::Simulation simulation(mechanism, plan, std::make_shared<trammel::ThreadPool>(4));
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "trammel/executor.h"
#include "trammel/plan.h"

namespace trammel {

class ThreadPool final : public Executor {
 public:
  // The caller's own thread is one of them: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // One caller at a time.
  void run(std::size_t count, const std::function<void(std::size_t)>& task) override;

 private:
  void do_tasks();  // those of the present job that nobody has begun
  void wait_for_jobs();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  unsigned long job_ = 0;  // counts jobs, so that a thread takes part in each once
  std::size_t busy_ = 0;   // threads that have not finished the present job
  bool ends_ = false;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
};

// For formulation modular as many threads as the plan asks for; else two, for the two runs of run(), if the
// plan wants both. Null, which is none besides the caller's, for one.
std::shared_ptr<Executor> make_executor(const Plan& plan);

}  // namespace trammel
