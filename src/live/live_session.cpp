#include "live/live_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "live/text_edits.h"

namespace trammel::live {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kMaxQueue = 1024;
// Of the thread's time, for commands: after one that took T the next waits 4 T.
constexpr double kRestPerEdit = 4;
// Longest burst of steps before commands and snapshots have their turn.
constexpr double kBurst = 0.005;
// A motion that is later than this gives up the time it has lost.
constexpr double kLate = 0.1;
// Snapshots a second at most: twice the display's rate.
constexpr double kPublish = 1.0 / 120;
constexpr double kWindow = 0.5;      // over which speed is measured
constexpr double kSlow = 0.9;        // below this part of real time it is said
constexpr double kSayAgain = 0.5;    // the same message at most so often
constexpr double kIdle = 0.05;       // longest sleep
constexpr long kMaxSteps = 100'000;  // of one `step` command

// What is over in a second is shown in slow motion, so that it lasts two at least.
double first_speed(const Plan& plan) {
  if (plan.duration >= 1) return 1;
  for (const double speed : {0.2, 0.1, 0.05, 0.02})
    if (plan.duration >= 2 * speed) return speed;
  return 0.01;
}

double seconds(std::chrono::steady_clock::duration d) { return Seconds(d).count(); }

Json refused(const std::string& why, const std::vector<InputError>& errors) {
  Json out = {{"ok", false}, {"error", why}};
  for (const InputError& error : errors)
    out["errors"].push_back({{"line", error.line},
                             {"column", error.column},
                             {"message", error.message},
                             {"remedy", error.remedy}});
  return out;
}

std::string event_text(const Event& e) {
  switch (e.kind) {
    case Event::Kind::impact:
      return fmt::format("'{}': impact, {:.3g} before and {:.3g} after", e.name, e.before, e.after);
    case Event::Kind::rest:
      return fmt::format("'{}': comes to rest", e.name);
    case Event::Kind::release:
      return fmt::format("'{}': lets go", e.name);
    case Event::Kind::slip:
      return fmt::format("'{}' would slip", e.name);
    case Event::Kind::lift:
      return fmt::format("'{}' would lift off", e.name);
    case Event::Kind::grip:
      return fmt::format("'{}' grips again", e.name);
    case Event::Kind::stop:
      return fmt::format("'{}' came true", e.name);
    case Event::Kind::jump:
      return fmt::format("the speed of '{}' jumps from {:.3g} to {:.3g}", e.name, e.before, e.after);
    case Event::Kind::crossing:
      return fmt::format("'{}' changes its sign", e.name);
    case Event::Kind::stick:
      return fmt::format("'{}' sticks", e.name);
    case Event::Kind::slide:
      return fmt::format("'{}' slips", e.name);
  }
  return {};
}

}  // namespace

LiveSession::LiveSession(LiveSource source, std::string journal_path, Tell tell)
    : journal_path_(std::move(journal_path)), tell_(std::move(tell)) {
  Journal(journal_path_).prepare();
  opened_.insert(journal_path_);
  folder_ = fs::absolute(fs::path(source.path)).parent_path().string();
  run_ = std::make_unique<LiveRun>(std::move(source), Journal(journal_path_));
  speed_ = first_speed(run_->model()->plan);
  restart_clock();
  refresh_model();
  publish();
  thread_ = std::thread([this] { loop(); });
}

LiveSession::LiveSession(const std::string& folder, std::string journal_path, Tell tell)
    : folder_(fs::absolute(folder).string()), journal_path_(std::move(journal_path)), tell_(std::move(tell)) {
  opened_.insert(journal_path_);
  thread_ = std::thread([this] { loop(); });
}

LiveSession::~LiveSession() { stop(); }

std::string LiveSession::folder() const {
  const std::lock_guard lock(snapshot_mutex_);
  return folder_;
}

void LiveSession::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  wake_.notify_all();
  thread_.join();
  finish_run();
}

void LiveSession::finish_run() {
  if (!run_) return;
  run_->finish();
  if (run_->journal().edits() > 0) journals_.push_back(run_->journal().path());
}

bool LiveSession::post(Json command, Reply reply) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kMaxQueue) return false;
    queue_.push_back({std::move(command), std::move(reply)});
  }
  wake_.notify_one();
  return true;
}

bool LiveSession::read(HistoryRequest request, HistoryReader::Done done) {
  const std::lock_guard lock(mutex_);
  if (queue_.size() >= kMaxQueue) return false;
  queue_.push_back({{}, {}, [this, request = std::move(request), done = std::move(done)] {
                      try {
                        if (!reader_.read(history_job(run_->past(), request), done))
                          done({}, "history: too many requests are waiting; send fewer of them");
                      } catch (const std::exception& error) {
                        done({}, error.what());
                      }
                    }});
  wake_.notify_one();
  return true;
}

void LiveSession::begin() {
  begins_ = true;
  wake_.notify_one();
}

std::shared_ptr<const Snapshot> LiveSession::snapshot() const {
  const std::lock_guard lock(snapshot_mutex_);
  return snapshot_;
}

void LiveSession::loop() {
  while (!stopping_) {
    serve_commands();
    if (!run_) {
      std::unique_lock lock(mutex_);
      if (queue_.empty()) wake_.wait_for(lock, Seconds(kIdle));
      continue;
    }
    if (begins_ && !std::exchange(begun_, true)) restart_clock();
    const bool goes = begun_ && !paused_;
    if (goes) advance();
    if (watched_ && (seconds(Clock::now() - published_) >= kPublish)) publish();
    // Until the next step is due, or a command comes that may be carried out.
    const Clock::time_point now = Clock::now();
    double rest = kIdle;
    if (goes)
      rest = (run_->simulation().state().t + run_->step_size() - base_t_) / speed_ - seconds(now - base_);
    if (watched_ && goes) rest = std::min(rest, kPublish);
    std::unique_lock lock(mutex_);
    if (!queue_.empty()) rest = std::min(rest, seconds(edits_from_ - now));
    if (rest > 0) wake_.wait_for(lock, Seconds(std::min(rest, kIdle)));
  }
}

void LiveSession::serve_commands() {
  while (!stopping_ && Clock::now() >= edits_from_) {
    Command command;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return;
      command = std::move(queue_.front());
      queue_.pop_front();
    }
    if (command.act) {
      command.act();
      continue;
    }
    const Clock::time_point begin = Clock::now();
    Json reply;
    try {
      reply = carry_out(command.json);
    } catch (const TextRefused& error) {
      reply = refused(error.what(), error.errors);
    } catch (const std::exception& error) {
      reply = refused(error.what(), {});
    }
    const Clock::time_point end = Clock::now();
    if (!paused_) edits_from_ = end + (end - begin) * static_cast<int>(kRestPerEdit);
    if (command.reply) command.reply(std::move(reply));
  }
}

Json LiveSession::carry_out(const Json& command) {
  const std::string what = command.value("do", "");
  const auto known = [&](std::vector<std::string> fields) {
    fields.insert(fields.end(), {"do", "id"});
    return JsonFields(command, what, fields);
  };
  if (what == "open-model") return open_model(command);
  if (what == "new-model") return new_model(command);
  if (!run_) throw std::invalid_argument("there is no model yet: open one, or draw");
  if (what == "pause" || what == "resume") {
    known({});
    end_drag();
    paused_ = what == "pause";
    failed_ = false;
    begins_ = begins_ || !paused_;
    restart_clock();
    publish();
    return {{"ok", true}};
  }
  if (what == "step") return step_by(command);
  if (what == "speed") {
    const double speed = known({"value"}).number("value");
    if (!(speed >= 1e-3 && speed <= 100)) throw std::invalid_argument("speed: give 0.001 to 100");
    // From what is due now, not from the last step: or a stream of changes would stop the motion.
    const Clock::time_point now = Clock::now();
    if (!paused_) base_t_ += speed_ * seconds(now - base_);
    base_ = now;
    speed_ = speed;
    publish();
    return {{"ok", true}};
  }
  if (what == "save") return save(command);
  if (what == "journal") return {{"ok", true}, {"journal", run_->journal().text()}};
  if (what == "text") {
    known({});
    const ModelTexts::Text& text = run_->text();
    return {{"ok", true}, {"yaml", text.text}, {"anew", text.anew}, {"revision", model_->revision}};
  }
  return edit(command);
}

Json LiveSession::edit(const Json& command) {
  if (command["do"] == "drag" && !paused_)
    throw std::invalid_argument("a point is dragged while the run is paused; while it runs, pull");
  const double before = run_->simulation().state().t;
  const EditReply reply = run_->apply(command);
  if (!reply.ok) return refused(reply.error, reply.errors);
  failed_ = false;
  refresh_model();
  // What the last step left is not what an edit did.
  last_ = StepResult();
  last_.violation = run_->violation();
  last_.iterations = run_->iterations();
  publish();
  const double t = run_->simulation().state().t;
  // The clock goes on, or a flood of edits would stop the motion.
  if (t != before) restart_clock();
  Json clean = command;
  clean.erase("id");
  tell_(
      {{"event", "journal"}, {"ok", true}, {"entry", {{"step", run_->steps()}, {"t", t}, {"edit", clean}}}});
  Json out = {{"ok", true},
              {"step", run_->steps()},
              {"t", t},
              {"revision", model_->revision},
              {"moved", reply.moved},
              {"impulse", reply.impulse},
              {"energy", reply.energy},
              {"notes", reply.notes}};
  if (!reply.name.empty()) out["name"] = reply.name;
  out["state"] = checksum(run_->simulation().state());
  return out;
}

// A motion that goes on ends what is dragged.
void LiveSession::end_drag() {
  if (run_->is_dragged()) edit({{"do", "end-drag"}});
}

// Files of the model's own folder only, by name.
std::string LiveSession::file_in_folder(const std::string& name) const {
  const fs::path path(name);
  const std::string end = path.extension().string();
  // Behind a zero byte the operating system reads no further; other control characters deceive in a list.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool is_name = path.filename().string() == name && std::ranges::none_of(name, is_control);
  if (!is_name || name.starts_with(".") || (end != ".yaml" && end != ".yml"))
    throw std::invalid_argument(fmt::format("{} is not the name of a .yaml file in the model's folder",
                                            Json(name).dump(-1, ' ', false, Json::error_handler_t::replace)));
  return (fs::path(folder_) / path).string();
}

Json LiveSession::save(const Json& command) {
  const JsonFields fields(command, "save", {"do", "id", "path", "now", "replace"});
  const std::string yaml = run_->yaml(fields.flag("now", false));
  if (!fields.has("path")) return {{"ok", true}, {"yaml", yaml}};
  const std::string path = file_in_folder(fields.text("path"));
  if (fs::exists(path) && !fields.flag("replace", false))
    throw std::invalid_argument(fmt::format(
        "there is a file '{}' already; give another name, or replace: true", fields.text("path")));
  std::ofstream file(path);
  file << yaml;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", path));
  return {{"ok", true}, {"yaml", yaml}, {"path", fields.text("path")}};
}

// Each model that is opened has a journal of its own, beside the first and with the model's name.
std::string LiveSession::journal_for(const std::string& model) {
  if (journal_path_.empty()) return {};
  const fs::path first(journal_path_);
  const std::string stem = first.stem().string() + "-" + fs::path(model).stem().string();
  for (int k = 1;; ++k) {
    const std::string name = k == 1 ? stem : fmt::format("{}-{}", stem, k);
    std::string path = (first.parent_path() / (name + first.extension().string())).string();
    if (!opened_.contains(path)) return path;
  }
}

Json LiveSession::open_model(const Json& command) {
  const JsonFields fields(command, "open-model", {"do", "id", "path"});
  const std::string path = fields.text("path");
  const bool allowed = std::find(allowed_.begin(), allowed_.end(), path) != allowed_.end();
  open(LiveRun::read_source(allowed ? path : file_in_folder(path)));
  return {{"ok", true}, {"revision", model_->revision}};
}

// Of a text that no file has yet; paused, so that it can be drawn.
Json LiveSession::new_model(const Json& command) {
  const JsonFields fields(command, "new-model", {"do", "id", "text", "changes"});
  std::string path = (fs::path(folder_) / "drawing.yaml").string();
  for (int k = 2; fs::exists(path); ++k)
    path = (fs::path(folder_) / fmt::format("drawing-{}.yaml", k)).string();
  std::string text = fields.text("text");
  if (fields.has("changes"))
    text = edited_text({{"do", "change-text"}, {"changes", fields.need("changes")}}, std::move(text), path);
  read_live_text(text, path);  // refused with its places
  open({path, text, {}});
  paused_ = true;
  publish();
  return {{"ok", true}, {"revision", model_->revision}};
}

void LiveSession::open(LiveSource source) {
  const std::string journal = journal_for(source.path);
  const std::string folder = fs::absolute(fs::path(source.path)).parent_path().string();
  auto next = std::make_unique<LiveRun>(std::move(source), Journal(journal));
  Journal(journal).prepare();
  opened_.insert(journal);
  finish_run();
  if (run_) revisions_before_ += run_->revision();
  run_ = std::move(next);
  {
    const std::lock_guard lock(snapshot_mutex_);
    folder_ = folder;
  }
  speed_ = first_speed(run_->model()->plan);
  failed_ = false;
  restart_clock();
  refresh_model();
  publish();
}

Json LiveSession::step_by(const Json& command) {
  const JsonFields fields(command, "step", {"do", "id", "count"});
  const double count = fields.number("count", 1);
  if (!(count >= 1 && count <= static_cast<double>(kMaxSteps) && count == std::floor(count)))
    throw std::invalid_argument(fmt::format("step: give a whole number from 1 to {}", kMaxSteps));
  end_drag();
  paused_ = true;
  failed_ = false;
  for (long k = 0; k < static_cast<long>(count) && !failed_ && !stopping_; ++k) one_step();
  restart_clock();
  publish();
  if (failed_) return {{"ok", false}, {"error", said_}};
  return {{"ok", true},
          {"t", run_->simulation().state().t},
          {"step", run_->steps()},
          {"state", checksum(run_->simulation().state())}};
}

void LiveSession::one_step() {
  StepResult result = run_->step();
  const double t = run_->simulation().state().t;
  if (!result.report.accepted()) {
    paused_ = failed_ = true;
    said_.clear();
    say("error", fmt::format("at t = {:.6g} s: {}. The run is paused.", t,
                             explain(result.report, run_->simulation())));
    return;
  }
  if (result.report.outcome == Outcome::marked)
    say("warning", fmt::format("a step met only the weaker criterion: {}", result.report.message));
  for (const Event& event : result.events) say("info", event_text(event));
  if (result.ended) {
    paused_ = true;
    say("info", fmt::format("at t = {:.6g} s the run is to end. It is paused.", t));
  }
  last_ = std::move(result);
  // Edits of the past that come again change the model.
  refresh_model();
}

void LiveSession::advance() {
  const Clock::time_point begin = Clock::now();
  const double h = run_->step_size();
  const auto due = [&] { return base_t_ + speed_ * seconds(Clock::now() - base_); };
  while (!paused_ && run_->simulation().state().t + h <= due()) {
    one_step();
    if (seconds(Clock::now() - begin) > kBurst) break;
  }
  // What cannot be made good is given up, and said.
  const double t = run_->simulation().state().t;
  if (due() - t > speed_ * kLate + h) {
    base_ = Clock::now();
    base_t_ = t;
  }
  measure();
}

void LiveSession::measure() {
  const Clock::time_point now = Clock::now();
  const double wall = seconds(now - measured_), h = run_->step_size();
  // Several steps, or a slow motion's pauses would look like lateness.
  if (wall < std::max(kWindow, 4 * h / speed_)) return;
  const double t = run_->simulation().state().t;
  realtime_ = (t - measured_t_) / (wall * speed_);
  measured_ = now;
  measured_t_ = t;
  if (realtime_ < kSlow && !slow_)
    say("warning",
        fmt::format("the physics runs at {:.2f} of the speed asked for; take a larger step, or a lower speed",
                    realtime_));
  if (realtime_ >= kSlow && slow_) say("info", "the physics keeps up again");
  slow_ = realtime_ < kSlow;
}

void LiveSession::restart_clock() {
  base_ = measured_ = Clock::now();
  base_t_ = measured_t_ = run_->simulation().state().t;
}

void LiveSession::refresh_model() {
  const unsigned revision = revisions_before_ + run_->revision();
  if (model_ && model_->revision == revision) return;
  signals_ = std::make_unique<LiveSignals>(run_->simulation());
  model_ = describe_model(*run_, *signals_, revision);
}

void LiveSession::publish() {
  auto next =
      std::make_shared<Snapshot>(take_snapshot(*run_, *signals_, last_, paused_ ? 1 : realtime_, wanted_));
  next->model = model_;
  next->speed = speed_;
  next->paused = paused_;
  next->failed = failed_;
  published_ = Clock::now();
  const std::lock_guard lock(snapshot_mutex_);
  snapshot_ = std::move(next);
}

void LiveSession::say(const char* level, const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (text == said_ && seconds(now - said_at_) < kSayAgain) return;
  said_ = text;
  said_at_ = now;
  tell_({{"event", "message"}, {"level", level}, {"text", text}, {"t", run_->simulation().state().t}});
}

}  // namespace trammel::live
