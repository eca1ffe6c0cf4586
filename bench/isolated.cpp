#include "isolated.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace trammel::bench {
namespace {

constexpr double kOthersShare = 3;

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n <= 0) _exit(1);
    done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void child(int file, double seconds, const std::function<void(const Emit&)>& work) {
  // What libraries print is not part of the result.
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  // A limit of the processor's time would make its clock coarse: the alarm counts the time of day, of which
  // others take their part.
  alarm(static_cast<unsigned>(std::ceil(kOthersShare * seconds)));
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int status = 0;
  try {
    work([file](const Row& row) { write_all(file, to_json(row).dump() + "\n"); });
  } catch (const std::exception& error) {
    write_all(file, nlohmann::ordered_json{{"failure", error.what()}}.dump() + "\n");
    status = 1;
  }
  _exit(status);
}

std::string ending(int status, double seconds) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGALRM) return fmt::format("no answer within {:.0f} s", seconds);
    return fmt::format("crashes ({})", strsignal(number));
  }
  return WEXITSTATUS(status) == 0 ? "" : "ends the program";
}

}  // namespace

IsolatedResult isolated(double seconds, const std::function<void(const Emit&)>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) {
    close(ends[0]);
    child(ends[1], seconds, work);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);

  IsolatedResult result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto j = nlohmann::ordered_json::parse(line, nullptr, false);
    if (j.is_discarded()) continue;  // the process ended within it
    if (j.contains("failure"))
      result.failure = j["failure"];
    else
      result.rows.push_back(row_from(j));
  }
  if (result.failure.empty()) result.failure = ending(status, seconds);
  return result;
}

}  // namespace trammel::bench
