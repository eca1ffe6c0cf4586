// Workers: the same work on many things, in turn, or side by side where the caller has passed an Executor.
// Each thing is worked on by one thread and shares nothing with the others, so that results do not depend on
// the number of threads.
#pragma once

#include <cstddef>
#include <functional>

#include "trammel/executor.h"

namespace trammel::simulation {

class Workers {
 public:
  explicit Workers(Executor* executor) : executor_(executor) {}

  // work(i) for each i below count; returns when all are done. It must not throw.
  template <class Work>
  void each(std::size_t count, Work&& work) {
    if (executor_ && count > 1) return executor_->run(count, std::ref(work));  // a reference: no allocation
    for (std::size_t i = 0; i < count; ++i) work(i);
  }

 private:
  Executor* executor_;
};

}  // namespace trammel::simulation
