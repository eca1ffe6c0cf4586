// Fuzz target: the live protocol below the socket. Each line is a message of a client; it gets one answer,
// which says why if it is a refusal, and what pages then see is finite.
//
// One server serves all inputs. If one has changed the run, the next opens the model anew, so that it does
// not depend on those before. The run is paused: what moves it are the steps that the messages ask for.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "memory_transport.h"
#include "messages.h"
#include "server/live_server.h"
#include "support.h"

namespace trammel::fuzz {
namespace {

namespace fs = std::filesystem;
using live::Json;

// A folder of its own for what `save` writes.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("trammel-fuzz-{}", getpid())) {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string model() const { return (path_ / "model.yaml").string(); }
  // As it was at the start.
  void restore() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove(entry.path());
    std::ofstream(model()) << kEditedModel;
  }

 private:
  fs::path path_;
};

class Page {
 public:
  Page() : folder_(prepared()), server_({folder_.model(), kEditedModel, {}}, {}) {}

  // `is_looked_at`: models are told in full, and judged by which methods can run them.
  void talk(const std::vector<std::string>& messages, bool is_looked_at) {
    client_ = {};
    handler().opened(client_, {});
    say(R"({"id": 0, "do": "pause"})");
    if (is_changed_) {
      folder_.restore();
      say(R"({"id": 0, "do": "open-model", "path": "model.yaml"})");
    }
    is_changed_ = false;
    for (const std::string& message : messages) {
      const Json json = Json::parse(message, nullptr, false);
      if (!is_short(json)) continue;
      const bool is_done = say(message);
      const std::string what =
          json.is_object() && json.contains("do") && json["do"].is_string() ? json["do"] : Json("");
      is_changed_ = is_changed_ || (is_done && !only_looks(what)) || what == "step";
      if (what == "resume") say(R"({"id": 0, "do": "pause"})");
      // Frames and events for who looks; each new model keeps a thread busy that judges it.
      if (is_looked_at && (what == "subscribe" || what == "frames" || what == "describe"))
        MemoryTransport::only().tick();
      check_snapshot();
    }
    handler().closed(client_);
  }

 private:
  const Folder& prepared() {
    static const Folder folder;
    folder.restore();
    return folder;
  }
  static server::Handler& handler() { return *MemoryTransport::only().handler; }

  static bool only_looks(const std::string& command) {
    return command == "pause" || command == "describe" || command == "subscribe" || command == "frames" ||
           command == "journal";
  }

  // Sends a message and waits for its one answer: whether it was carried out.
  bool say(const std::string& message) {
    std::size_t read = client_.texts.size();
    Json answer;
    handler().received(client_, message, true);
    MemoryTransport::only().serve([&] {
      for (; answer.is_null() && read < client_.texts.size(); ++read) {
        Json text = Json::parse(client_.texts[read], nullptr, false);
        require(text.is_object(), "the server sends JSON objects");
        if (text.contains("reply")) answer = std::move(text);
      }
      return !answer.is_null();
    });
    require(answer["ok"].is_boolean(), "an answer says whether the command was carried out");
    if (!answer["ok"]) require(!answer.value("error", "").empty(), "a refusal says why");
    return answer["ok"];
  }

  void check_snapshot() {
    const auto snapshot = server_.session().snapshot();
    bool finite = std::isfinite(snapshot->t);
    for (const float x : snapshot->poses) finite = finite && std::isfinite(x);
    require(finite, "what pages see is finite");
  }

  const Folder& folder_;
  server::LiveServer server_;
  MemoryClient client_;
  bool is_changed_ = false;  // by messages of inputs before
};

}  // namespace
}  // namespace trammel::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kLookedAt = 4;
  static trammel::fuzz::Page page;
  const std::string text(reinterpret_cast<const char*>(data), size);
  page.talk(trammel::fuzz::lines_of(text), trammel::fuzz::is_drawn(text, kLookedAt));
  return 0;
}
