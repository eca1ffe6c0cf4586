// trammel bench: starts trammel_bench, which other programs are linked to.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "commands.h"

namespace trammel::app {

namespace fs = std::filesystem;

int bench_command(const BenchOptions& options) {
  const std::string program = (fs::read_symlink("/proc/self/exe").parent_path() / "trammel_bench").string();
  if (!fs::exists(program))
    throw std::runtime_error("'" + program + "' is not there; 'make bench' in the source folder builds it");
  std::vector<std::string> words{program};
  words.insert(words.end(), options.problems.begin(), options.problems.end());
  if (options.json) words.emplace_back("--json");
  if (options.quick) words.emplace_back("--quick");
  if (!options.page.empty()) words.insert(words.end(), {"--write", options.page});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw std::runtime_error("cannot start '" + program + "': " + std::strerror(errno));
}

}  // namespace trammel::app
