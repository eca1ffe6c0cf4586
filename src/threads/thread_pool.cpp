#include "trammel/thread_pool.h"

#include "trammel/methods.h"

namespace trammel {

ThreadPool::ThreadPool(int threads) {
  for (int k = 1; k < threads; ++k) threads_.emplace_back([this] { wait_for_jobs(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::do_tasks() {
  for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*task_)(i);
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    count_ = count;
    next_ = 1;
    busy_ = threads_.size();
    ++job_;
  }
  start_.notify_all();
  if (count > 0) task(0);
  do_tasks();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadPool::wait_for_jobs() {
  unsigned long seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return ends_ || job_ != seen; });
    if (ends_) return;
    seen = job_;
    lock.unlock();
    do_tasks();
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

std::shared_ptr<Executor> make_executor(const Plan& plan) {
  const bool modular = plan.formulation == name_of(FormulationKind::modular);
  const int threads = modular || !plan.verify ? plan.modular.threads : 2;
  return threads < 2 ? nullptr : std::make_shared<ThreadPool>(threads);
}

}  // namespace trammel
