// Workers: the same work on many things at once. Each thing is worked on by one thread and shares nothing
// with the others, so that results do not depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace trammel {

class Workers {
 public:
  explicit Workers(int threads);  // the caller's own among them
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // work(i) for each i below count; returns when all are done. It must not throw.
  template <class Work>
  void each(std::size_t count, Work&& work) {
    if (threads_.empty() || count < 2) {
      for (std::size_t i = 0; i < count; ++i) work(i);
      return;
    }
    run(
        count, [](void* w, std::size_t i) { (*static_cast<std::remove_reference_t<Work>*>(w))(i); }, &work);
  }

 private:
  using Call = void (*)(void*, std::size_t);
  void run(std::size_t count, Call call, void* work);
  void take();  // what is left of the present job
  void wait_for_jobs();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  unsigned long job_ = 0;  // counts jobs, so that a worker takes part in each once
  std::size_t busy_ = 0;
  bool ends_ = false;
  Call call_ = nullptr;
  void* work_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
};

}  // namespace trammel
