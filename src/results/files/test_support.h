// What the tests of the results files share: a folder of their own and a small run with awkward names.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "results/files/results_log.h"
#include "trammel/trajectory.h"

namespace trammel::results {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A test with an empty folder, gone afterwards.
class ResultsTest : public ::testing::Test {
 protected:
  ResultsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "trammel-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~ResultsTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const std::filesystem::path& folder() const { return folder_; }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    return names;
  }

 private:
  std::filesystem::path folder_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The words of the Exception that `action` throws; empty if it throws none.
template <class Exception>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

// While it lives no file can grow beyond so many bytes: a full disk, as far as a program can tell.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

// Bit patterns, so that a missing value equals itself and −0 differs from 0.
inline std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}

// Three rows of every kind of channel, with names that YAML allows and files find awkward.
inline LogContents sample_run() {
  LogContents run;
  run.header.model = "name: Kurbel – 曲柄\nbodies: {}\n";
  run.header.plan = {{"integrator", "trapezoidal"}, {"step", 0.001}};
  run.header.version = "0.1.0";
  run.header.creation = {{"date", "2026-01-01"}};
  run.header.channels = {
      {.group = "", .dataset = "time", .component = "", .unit = "s", .name = "t"},
      {.group = "bodies/front, left",
       .dataset = "position",
       .component = "x",
       .unit = "m",
       .name = "front, left.x"},
      {.group = "bodies/front, left",
       .dataset = "position",
       .component = "y",
       .unit = "m",
       .name = "front, left.y"},
      {.group = "bodies/a/b", .dataset = "position", .component = "x", .unit = "m", .name = "a/b.x"},
      {.group = "bodies/a%2Fb", .dataset = "position", .component = "x", .unit = "m", .name = "a%2Fb.x"},
      {.group = "joints/the \"knee\"",
       .dataset = "force",
       .component = "x",
       .unit = "N",
       .name = "the \"knee\".force.x",
       .may_be_missing = true},
      {.group = "bodies/.", .dataset = "pose", .component = "x", .unit = "m", .name = "..x"},
      {.group = "bodies/.", .dataset = "pose", .component = "angle", .unit = "rad", .name = "..angle"},
      {.group = "energy", .dataset = "kinetic", .component = "", .unit = "J", .name = "energy.kinetic"},
      {.group = "solver", .dataset = "iterations", .component = "", .unit = "", .name = "solver.iterations"},
  };
  run.trajectory.channels = run.header.channels;
  run.trajectory.values = {
      0.0,   0.1,       -0.0,  1.0 / 3.0, 1e-300, kMissing, 1, -1.5, 2e10, 3,  //
      0.001, 5e-324,    1e308, -1.0 / 7,  123.0,  -9.81,    2, -2.5, 3e10, 4,  //
      0.002, 0.3 - 0.1, 1e22,  2.0 / 3.0, -1e-5,  kMissing, 3, -3.5, 4e10, 5,
  };
  run.summary = {{"status", "ok"}, {"steps", 2}};
  return run;
}

}  // namespace trammel::results
