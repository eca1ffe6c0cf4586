// A sweep as a Slurm job array. Each task computes its part of the chunks; the job after them computes what
// is missing, as of tasks that failed, and merges. Slurm repeats tasks whose node died (--requeue).
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "output_files.h"
#include "sweep_command.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

fs::path this_program() { return fs::read_symlink("/proc/self/exe"); }

// For a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What a command prints; nothing if it failed, and `error` says why.
std::string output_of(const std::string& command, bool& failed) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    failed = true;
    return text;
  }
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  failed = pclose(pipe) != 0;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

int submit_to_slurm(const fs::path& given, std::uint64_t tasks, const std::string& options, bool json) {
  const fs::path folder = fs::absolute(given).lexically_normal();
  const std::string program = quoted(this_program().string()), at = quoted(folder.string());
  const fs::path array = folder / "array.slurm", merge = folder / "merge.slurm";
  const std::string head = fmt::format(
      "#!/bin/sh\n#SBATCH --job-name=trammel-sweep\n#SBATCH --output={}/slurm-%A-%a.log\n", folder.string());
  write_text(array, fmt::format("{}#SBATCH --requeue\n#SBATCH --array=0-{}\n#SBATCH --open-mode=append\n"
                                "exec {} sweep {} --resume --quiet --part \"$SLURM_ARRAY_TASK_ID/{}\"\n",
                                head, tasks - 1, program, at, tasks));
  write_text(merge,
             fmt::format("{}#SBATCH --requeue\nexec {} sweep {} --resume --quiet\n", head, program, at));
  const std::string submit_array = fmt::format("sbatch --parsable {} {}", options, quoted(array.string()));
  bool failed = false;
  const std::string job = output_of(submit_array, failed);
  const auto submit_merge = [&](const std::string& after) {
    return fmt::format("sbatch --parsable {} --dependency=afterany:{} {}", options, after,
                       quoted(merge.string()));
  };
  if (failed || job.empty()) {
    fmt::print(
        stderr,
        "sbatch does not take the job here. The scripts are written; where sbatch works, submit them by\n"
        "  job=$({})\n  {}\n",
        submit_array, submit_merge("$job"));
    return kBadInput;
  }
  const std::string number = job.substr(0, job.find(';'));
  const std::string after = output_of(submit_merge(number), failed);
  if (failed) {
    fmt::print(stderr,
               "The tasks are submitted as job {}, but the job that merges is not; submit it by\n  {}\n",
               number, submit_merge(number));
    return kBadInput;
  }
  if (json)
    fmt::print("{}\n", nlohmann::ordered_json(
                           {{"job", number}, {"merge", after}, {"tasks", tasks}, {"folder", folder.string()}})
                           .dump(2));
  else
    fmt::print("Job {} computes the sweep in {} tasks, job {} merges: '{}'\n", number, tasks, after,
               (folder / "sweep.h5").string());
  return kDone;
}

}  // namespace trammel::app
