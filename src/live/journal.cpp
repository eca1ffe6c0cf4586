#include "live/journal.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "live/live_run.h"
#include "results/files/bounded_json.h"

namespace trammel::live {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 2;

// Whether a file begins as journals do.
bool is_journal(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const Json header = results::parse_json(line);
  return header.is_object() && header.contains("trammel-journal");
}

// FNV-1a, 64 bits
class Sum {
 public:
  void add(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    for (int k = 0; k < 8; ++k) value_ = (value_ ^ ((bits >> (8 * k)) & 0xff)) * 0x100000001b3ULL;
  }
  void add(const std::vector<double>& all) {
    add(static_cast<double>(all.size()));
    for (const double x : all) add(x);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

// What the first line of a journal says.
LiveSource source_of(const std::string& line) {
  const Json header = results::parse_json(line);
  if (!header.is_object() || !header.contains("trammel-journal"))
    throw std::runtime_error(
        "this is not a journal; 'trammel view' writes them, and 'trammel run' runs models");
  if (header["trammel-journal"] != kVersion)
    throw std::runtime_error("this is a journal of another version of Trammel");
  try {
    return {header.at("model"), header.at("text"), header.at("settings")};
  } catch (const Json::exception&) {
    throw std::runtime_error("the first line of the journal is damaged");
  }
}

// A line of a journal says at which step, and in which state, what was done there.
bool is_entry(const Json& line) {
  return line.contains("step") && line["step"].is_number_integer() && line.contains("state") &&
         line["state"].is_string() && (!line.contains("edit") || line["edit"].is_object());
}

}  // namespace

std::string checksum(const State& state) {
  Sum sum;
  sum.add(state.t);
  for (const auto* part : {&state.q, &state.v, &state.x, &state.inputs}) sum.add(*part);
  for (const Memory& memory : state.memory) sum.add(memory.values);
  return fmt::format("{:016x}", sum.value());
}

void Journal::line(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path_.empty()) {
    memory_ += text;
    return;
  }
  if (!file_.is_open()) {
    file_.open(path_, std::ios::trunc);
    file_ << header_;
  }
  file_ << text << std::flush;
  if (!file_) throw std::runtime_error(fmt::format("cannot write the journal '{}'", path_));
}

void Journal::prepare() const {
  if (path_.empty()) return;
  const fs::path path(path_), folder = path.parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder)) {
    if (*folder.begin() != "results")
      throw std::runtime_error(
          fmt::format("there is no folder '{}' for the journal; make it, or name another file by --journal",
                      folder.string()));
    fs::create_directories(folder, error);
  }
  if (fs::is_regular_file(path) && fs::file_size(path) > 0) {
    if (!is_journal(path))
      throw std::runtime_error(fmt::format(
          "'{}' is there and is not a journal of Trammel; name another file by --journal", path_));
    // What is left of an earlier run must not be taken for this one's.
    fs::path old = path;
    old.replace_extension(".old" + path.extension().string());
    fs::rename(path, old, error);
  }
  const bool there = fs::exists(path, error);
  const bool writable = !error && std::ofstream(path_, std::ios::app).good();
  if (!there) fs::remove(path, error);
  if (!writable)
    throw std::runtime_error(
        fmt::format("cannot write the journal '{}'; name another file by --journal", path_));
}

void Journal::begin(const LiveSource& source) {
  const Json header = {{"trammel-journal", kVersion},
                       {"model", source.path},
                       {"settings", source.settings},
                       {"text", source.text}};
  header_ = header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path_.empty()) memory_ = header_;
}

void Journal::add(long step, const Json& edit, const State& before) {
  line({{"step", step}, {"edit", edit}, {"state", checksum(before)}});
  ++edits_;
}

void Journal::end(long step, const State& state) {
  if (edits_ > 0 || path_.empty()) line({{"step", step}, {"end", true}, {"state", checksum(state)}});
}

std::string Journal::text() {
  if (path_.empty()) return memory_;
  if (!file_.is_open()) return header_;
  std::ifstream file(path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

Replay replay(const std::string& text, const std::function<void()>& ask) {
  std::istringstream lines(text);
  std::string one;
  if (!std::getline(lines, one)) throw std::runtime_error("the journal is empty");
  LiveRun run(source_of(one));
  Replay out;
  const auto differs = [&](const std::string& why) {
    if (out.identical) out.difference = why;
    out.identical = false;
  };
  for (long number = 2; std::getline(lines, one); ++number) {
    const Json entry = results::parse_json(one);
    if (!entry.is_object()) {
      // A program that was killed may leave half a line, at the end.
      out.cut = lines.peek() == std::istringstream::traits_type::eof();
      if (out.cut) break;
      throw std::runtime_error(fmt::format("line {} of the journal is not complete", number));
    }
    if (!is_entry(entry)) throw std::runtime_error(fmt::format("line {} of the journal is damaged", number));
    while (run.steps() < entry["step"].get<long>()) {
      const bool accepted = run.step().report.accepted();
      if (ask) ask();
      if (accepted) continue;
      throw std::runtime_error(
          fmt::format("step {} fails, before line {} of the journal", run.steps() + 1, number));
    }
    if (entry["state"] != checksum(run.simulation().state()))
      differs(fmt::format("at step {}, t = {:.6g} s (line {}) the state has other bits", run.steps(),
                          run.simulation().state().t, number));
    if (!entry.contains("edit")) continue;
    ++out.edits;
    if (const EditReply reply = run.apply(entry["edit"]); !reply.ok)
      differs(fmt::format("at step {} the edit '{}' is refused: {}", run.steps(),
                          describe_edit(entry["edit"]), reply.error));
  }
  out.steps = run.steps();
  out.t = run.simulation().state().t;
  out.end = checksum(run.simulation().state());
  try {
    out.yaml = run.yaml();
  } catch (const std::runtime_error& error) {
    out.unsaid = error.what();
  }
  return out;
}

}  // namespace trammel::live
