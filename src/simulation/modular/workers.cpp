#include "simulation/modular/workers.h"

namespace trammel {

Workers::Workers(int threads) {
  for (int k = 1; k < threads; ++k) threads_.emplace_back([this] { wait_for_jobs(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::take() {
  for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) call_(work_, i);
}

void Workers::run(std::size_t count, Call call, void* work) {
  {
    const std::lock_guard lock(mutex_);
    call_ = call;
    work_ = work;
    count_ = count;
    next_ = 0;
    busy_ = threads_.size();
    ++job_;
  }
  start_.notify_all();
  take();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void Workers::wait_for_jobs() {
  unsigned long seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return ends_ || job_ != seen; });
    if (ends_) return;
    seen = job_;
    lock.unlock();
    take();
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace trammel
