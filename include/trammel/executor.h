// Executor: runs independent tasks for a Simulation, one after the other or on threads.
//
// The library starts no threads. A caller who has some passes an Executor to Simulation; formulation
// `modular` then computes its subsystems side by side. ThreadPool (trammel/thread_pool.h) is one; a program
// with threads of its own can write another. Results do not depend on it: the bits are the same for any
// number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace trammel {

class Executor {
 public:
  virtual ~Executor() = default;

  // Calls task(i) once for each i below count and returns when all calls have returned: task 0 on the calling
  // thread, the others on any, in any order. The tasks do not throw and share no data that they write.
  virtual void run(std::size_t count, const std::function<void(std::size_t)>& task) = 0;
};

}  // namespace trammel
