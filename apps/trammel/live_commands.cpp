// trammel view and trammel replay.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <pthread.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "commands.h"
#include "server/frame.h"
#include "server/live_server.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

live::LiveSource source_of(const ModelOptions& options) {
  return live::LiveRun::read_source(options.path, options.settings());
}

// The folder that is shown when no model is named: a folder that is named, ./models, or this one.
std::string shown_folder(const std::string& path) {
  if (!path.empty()) return fs::is_directory(path) ? path : "";
  return fs::is_directory("models") ? "models" : ".";
}

// Addresses under which other machines reach this one.
std::vector<std::string> own_addresses() {
  std::vector<std::string> all;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return all;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    if (inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) == nullptr) continue;
    if (!std::string_view(text).starts_with("127.")) all.emplace_back(text);
  }
  freeifaddrs(list);
  return all;
}

// What --share opens, said before anyone comes.
void tell_shared(const server::LiveServer& server) {
  const std::vector<std::string> urls = server.shared_urls();
  fmt::print(
      "Shared: every machine that reaches this one, and knows the token, may watch and save what it sees. "
      "It may not change anything.\n");
  for (const std::string& url : urls) fmt::print("  {}\n", url);
  if (urls.empty()) fmt::print("  This machine has no address on a network.\n");
}

// The page in the person's browser, where there is a screen.
void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
    fmt::print(stderr, "There is no xdg-open here: open the address in a browser.\n");
}

int measure(const live::LiveSource& source) {
  const server::FrameCost cost = server::measure_frames(source);
  fmt::print("{} bodies, {} signals, {} bytes a frame\n", cost.bodies, cost.signals, cost.bytes);
  fmt::print("  state                 {:8.1f} us on the physics thread\n", 1e6 * cost.state);
  fmt::print("  reactions             {:8.1f} us more, while a page shows one\n", 1e6 * cost.reactions);
  fmt::print("  encoding              {:8.1f} us for each page\n", 1e6 * cost.encode);
  fmt::print("  together              {:8.1f} us\n", 1e6 * (cost.state + cost.reactions + cost.encode));
  return kDone;
}

}  // namespace

int view_command(const ViewOptions& options) {
  live::LiveSource source;
  const std::string folder = shown_folder(options.model.path);
  try {
    if (folder.empty()) source = source_of(options.model);
    if (options.measure) return measure(source);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
  // Signals go to one thread, which ends the server; others never see them.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  server::ServerOptions server_options;
  server_options.port = static_cast<unsigned short>(options.port);
  server_options.journal =
      !options.journal.empty()
          ? options.journal
          : (fs::path("results") / (folder.empty() ? fs::path(options.model.path).stem() : "view") /
             "journal.jsonl")
                .string();
  server_options.recent = server::RecentFiles::usual_file();
  server_options.share = options.share;
  if (options.share) server_options.names = own_addresses();
  std::unique_ptr<server::LiveServer> server;
  try {
    server = folder.empty() ? std::make_unique<server::LiveServer>(std::move(source), server_options)
                            : std::make_unique<server::LiveServer>(folder, server_options);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
  fmt::print("{}\n", server->url());
  if (options.share) tell_shared(*server);
  if (const auto start = server->session().snapshot(); start && start->speed < 1)
    fmt::print("The model's own run lasts less than a second: it is shown at {:g} of real time.\n",
               start->speed);
  if (folder.empty())
    fmt::print("Ctrl-C ends it. Edits are written to '{}'.\n", server_options.journal);
  else
    fmt::print("The page shows the models of '{}', or an empty sheet to draw on. Ctrl-C ends it.\n", folder);
  std::fflush(stdout);
  if (!options.no_browser) open_browser(server->url_once());
  std::thread waiting([&] {
    int signal = 0;
    sigwait(&ending, &signal);
    server->stop();
  });
  server->run();
  waiting.join();
  server->session().stop();
  for (const std::string& journal : server->session().journals())
    fmt::print("\ntrammel replay {} runs it again.", journal);
  fmt::print("\n");
  return kDone;
}

int replay_command(const ReplayOptions& options) {
  if (fs::is_directory(options.journal)) {
    fmt::print(stderr, "{} is a folder; name the journal in it\n", options.journal);
    return kBadInput;
  }
  std::ifstream file(options.journal, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "{}: cannot read the journal\n", options.journal);
    return kBadInput;
  }
  live::Replay out;
  try {
    out = live::replay(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", options.journal, error.what());
    return kBadInput;
  }
  if (!options.save.empty()) {
    if (out.yaml.empty())
      throw std::runtime_error(fmt::format("cannot write '{}': {}", options.save, out.unsaid));
    std::ofstream saved(options.save);
    saved << out.yaml;
    saved.close();
    if (!saved) throw std::runtime_error(fmt::format("cannot write '{}'", options.save));
  }
  if (options.json) {
    const live::Json json = {{"identical", out.identical},
                             {"difference", out.difference},
                             {"cut", out.cut},
                             {"steps", out.steps},
                             {"edits", out.edits},
                             {"t", out.t},
                             {"end", out.end}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} steps and {} edits to t = {:.6g} s: {}\n", out.steps, out.edits, out.t,
               out.identical ? "the same to the bit" : out.difference);
    if (out.cut) fmt::print("The last line of the journal is not complete, and was left out.\n");
  }
  return out.identical ? kDone : kNumbersFailed;
}

}  // namespace trammel::app
