#include "kernel/compiled_kernel.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;  // NOLINT: of POSIX

namespace trammel::kernel {
namespace {

namespace fs = std::filesystem;

// As docs/kernels.md has them. Contraction would give an instance other bits in a lane than alone.
constexpr const char* kFlags[] = {"-O3",        "-march=native", "-ffp-contract=off", "-fno-math-errno",
                                  "-std=c++17", "-Wno-psabi",    "-shared",           "-fPIC"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string compiler() {
  const std::string own = environment("CXX");
  return own.empty() ? "c++" : own;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs a program with its output in a file; whether it went well.
bool execute(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return failed == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

fs::path cache_folder() {
  const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
  const fs::path folder = !cache.empty()  ? fs::path(cache)
                          : !home.empty() ? fs::path(home) / ".cache"
                                          : fs::temp_directory_path();
  return folder / "trammel" / "kernels";
}

// The instructions that -march=native may use.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("flags")) return line;
  return {};
}

std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return value;
}

// A folder of this process, which goes with it.
class Workplace {
 public:
  explicit Workplace(const fs::path& beside) {
    fs::create_directories(beside);
    std::string name = beside / "making-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error(fmt::format("{} cannot be written", beside.string()));
    path_ = name;
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

CompiledKernel::CompiledKernel(const std::string& source) {
  const fs::path folder = cache_folder();
  const Workplace work(folder);
  const fs::path said = work.path() / "said";
  if (!execute({compiler(), "--version"}, said))
    throw std::runtime_error(fmt::format(
        "there is no C++ compiler '{}'; install one (Debian: g++), or name one in the variable CXX",
        compiler()));
  const std::string version = first_line(text_of(said));
  // All that the library depends on stands in the file beside it.
  std::string made_of = version + "\n" + processor();
  for (const char* flag : kFlags) made_of += fmt::format(" {}", flag);
  made_of += "\n" + source;
  const std::string name = fmt::format("{:016x}", hash(made_of));
  const fs::path library = folder / (name + ".so"), beside = folder / (name + ".txt");
  if (fs::exists(library) && text_of(beside) == made_of) {
    origin_ = fmt::format("compiled earlier by {}", version);
  } else {
    const auto begin = std::chrono::steady_clock::now();
    const fs::path text = work.path() / "kernel.cpp", made = work.path() / "kernel.so",
                   of = work.path() / "made-of";
    std::ofstream(text) << source;
    std::vector<std::string> words{compiler()};
    words.insert(words.end(), std::begin(kFlags), std::end(kFlags));
    words.insert(words.end(), {text.string(), "-o", made.string()});
    if (!execute(words, said))
      throw std::runtime_error(
          fmt::format("{} does not compile its source: {}", version, first_line(text_of(said))));
    // Another process may have made the same.
    std::ofstream(of) << made_of;
    fs::rename(of, beside);
    fs::rename(made, library);
    origin_ = fmt::format("compiled by {} in {:.1f} s", version,
                          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(fmt::format("it cannot be loaded: {}", dlerror()));
  reinterpret_cast<void (*)(int*)>(function("trammel_sizes"))(sizes_);           // NOLINT: of POSIX
  advance_ = reinterpret_cast<decltype(advance_)>(function("trammel_advance"));  // NOLINT
}

CompiledKernel::~CompiledKernel() {
  if (library_ != nullptr) dlclose(library_);
}

void* CompiledKernel::function(const char* name) const { return dlsym(library_, name); }

void CompiledKernel::advance(std::vector<double>& states, const std::vector<double>& constants, double h,
                             long steps, std::vector<int>& status) const {
  advance_(states.data(), constants.data(), static_cast<long>(status.size()), h, steps, status.data());
}

}  // namespace trammel::kernel
