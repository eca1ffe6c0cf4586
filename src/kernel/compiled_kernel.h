// CompiledKernel: the source of a kernel, compiled by the system's C++ compiler and loaded.
//
// Libraries are kept in a folder of the user's cache, by what they were made of: the source, the compiler and
// the processor. So a source is compiled once.
#pragma once

#include <string>
#include <vector>

namespace trammel::kernel {

class CompiledKernel {
 public:
  // Throws std::runtime_error with the reason where there is no compiler, no folder, or it does not compile.
  explicit CompiledKernel(const std::string& source);
  CompiledKernel(const CompiledKernel&) = delete;
  CompiledKernel& operator=(const CompiledKernel&) = delete;
  ~CompiledKernel();

  int doubles() const { return sizes_[2]; }    // of a state
  int lanes() const { return sizes_[3]; }      // instances side by side
  int constants() const { return sizes_[4]; }  // of an instance
  // How the library came to be, for the summary of a run.
  const std::string& origin() const { return origin_; }

  // Instances one after the other; several threads may call at once. status, of as many entries: 0 every
  // step met the full criterion, 1 some met the weaker one, 2 one failed.
  void advance(std::vector<double>& states, const std::vector<double>& constants, double h, long steps,
               std::vector<int>& status) const;

 private:
  void* function(const char* name) const;

  void* library_ = nullptr;
  int sizes_[5] = {};
  void (*advance_)(double*, const double*, long, double, long, int*) = nullptr;
  std::string origin_;
};

}  // namespace trammel::kernel
