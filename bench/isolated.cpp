#include "isolated.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <sstream>
#include <stdexcept>

namespace trammel::bench {
namespace {

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n <= 0) _exit(1);
    done += static_cast<std::size_t>(n);
  }
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

[[noreturn]] void child(int file, const std::function<void(const Emit&)>& work) {
  // What libraries print is not part of the result.
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int status = 0;
  try {
    work([file](const Row& row) { write_all(file, to_json(row).dump() + "\n"); });
  } catch (const std::exception& error) {
    write_all(file, nlohmann::ordered_json{{"failure", one_line(error.what())}}.dump() + "\n");
    status = 1;
  }
  _exit(status);
}

// Everything the process writes, unless its processor time runs out first: then it is ended. A limit set
// within the process would make its own clock coarse.
std::string read_all(pid_t pid, int file, double seconds, bool& late) {
  clockid_t clock;
  const bool has_clock = clock_getcpuclockid(pid, &clock) == 0;
  std::string text;
  char buffer[4096];
  for (;;) {
    pollfd wait{file, POLLIN, 0};
    if (poll(&wait, 1, 100) > 0) {
      const ssize_t n = read(file, buffer, sizeof buffer);
      if (n <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    timespec used{};
    if (!late && has_clock && clock_gettime(clock, &used) == 0 &&
        static_cast<double>(used.tv_sec) > seconds) {
      late = true;
      kill(pid, SIGKILL);
    }
  }
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return fmt::format("crashes ({})", strsignal(WTERMSIG(status)));
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
    child(ends[1], work);
  }
  close(ends[1]);
  bool late = false;
  const std::string text = read_all(pid, ends[0], seconds, late);
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
  if (result.failure.empty())
    result.failure = late ? fmt::format("no answer within {:.2g} s", seconds) : ending(status);
  return result;
}

}  // namespace trammel::bench
