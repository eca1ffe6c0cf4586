#include "server/live_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "live/study.h"
#include "results/files/bounded_json.h"
#include "results/report/page.h"
#include "server/frame.h"
#include "server/model_event.h"

namespace trammel::server {
namespace {

namespace fs = std::filesystem;

constexpr double kFrameRate = 60;
constexpr int kMaxInFlight = 32;           // commands of one client
constexpr std::size_t kMaxSignals = 4096;  // of one client
constexpr double kStatusEvery = 1;         // s
// Telling of the model may take this part of the time at most: after T the next waits 3 T.
constexpr int kRestPerModel = 3;

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", random());
  return token;
}

// Takes as long for a wrong token as for the right one.
bool same(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) difference |= static_cast<unsigned char>(a[k] ^ b[k]);
  return difference == 0;
}

std::string dump(const live::Json& json) {
  return json.dump(-1, ' ', false, live::Json::error_handler_t::replace);
}

// Where the wanted signals that a model has stand in its list.
std::vector<int> places_of(const std::vector<std::string>& wanted, const live::Snapshot::Model& model) {
  std::map<std::string, int> places;
  for (std::size_t k = 0; k < model.signals.size(); ++k)
    places.emplace(model.signals[k].name, static_cast<int>(k));
  std::vector<int> out;
  for (const std::string& name : wanted)
    if (const auto at = places.find(name); at != places.end()) out.push_back(at->second);
  return out;
}

live::Json names_of(const std::vector<int>& places, const live::Snapshot::Model& model) {
  live::Json names = live::Json::array();
  for (const int k : places) names.push_back(model.signals[static_cast<std::size_t>(k)].name);
  return names;
}

const char* const kNoPage = R"(<!doctype html><meta charset="utf-8"><title>Trammel</title>
<p>This Trammel was built without its page, because Node.js was not there.
<p>Install <code>nodejs</code> and <code>npm</code>, remove <code>build/</code> and run <code>make build</code> again.
The run itself is served at <code>/live</code>; see docs/live-protocol.md.
)";

}  // namespace

LiveServer::LiveServer(const ServerOptions& options)
    : token_(random_token()),
      address_(options.address),
      watch_token_(options.share ? random_token() : ""),
      names_(options.names),
      transport_(*this, options.share ? "0.0.0.0" : options.address, options.port, Transport::Limits()),
      recent_(options.recent),
      judge_(
          [this](Unfit unfit) {
            transport_.post([this, unfit = std::move(unfit)] { learn_what_fits(unfit); });
          },
          [this](std::shared_ptr<const Mechanism> model, const live::Json& event) {
            transport_.post([this, model = std::move(model), event] { learn_mobility(model, event); });
          }) {}

LiveServer::LiveServer(live::LiveSource source, const ServerOptions& options) : LiveServer(options) {
  const std::string path = source.path;
  begin(std::make_unique<live::LiveSession>(std::move(source), options.journal, teller()));
  recent_.add(path);
  ask_what_fits(*session_->snapshot()->model);
}

LiveServer::LiveServer(const std::string& folder, const ServerOptions& options) : LiveServer(options) {
  begin(std::make_unique<live::LiveSession>(folder, options.journal, teller()));
}

live::LiveSession::Tell LiveServer::teller() {
  return [this](live::Json event) { transport_.post([this, event = std::move(event)] { tell_all(event); }); };
}

void LiveServer::begin(std::unique_ptr<live::LiveSession> session) {
  session_ = std::move(session);
  session_->allow(recent_.paths());
  transport_.every(1 / kFrameRate, [this] { tick(); });
}

LiveServer::~LiveServer() {
  if (session_) session_->stop();  // none where the model was refused
}

std::string LiveServer::address() const {
  const bool v6 = address_.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/", v6 ? "[" : "", address_, v6 ? "]" : "", transport_.port());
}

std::string LiveServer::url() const { return fmt::format("{}?token={}", address(), token_); }

std::string LiveServer::url_once() {
  key_ = random_token();
  return fmt::format("{}?key={}", address(), key_);
}

std::vector<std::string> LiveServer::shared_urls() const {
  std::vector<std::string> all;
  for (const std::string& name : names_)
    all.push_back(fmt::format("http://{}:{}/?token={}", name, transport_.port(), watch_token_));
  return watch_token_.empty() ? std::vector<std::string>() : all;
}

void LiveServer::run() { transport_.run(); }

bool LiveServer::is_own_host(const std::string& host) const {
  for (const std::string& name : names_)
    if (!watch_token_.empty() && host == fmt::format("{}:{}", name, transport_.port())) return true;
  for (const std::string& own :
       {address_, std::string("127.0.0.1"), std::string("localhost"), "[" + address_ + "]"})
    if (host == fmt::format("{}:{}", own, transport_.port())) return true;
  return false;
}

// Browsers send cookies of one host to all of its ports.
std::string LiveServer::cookie_name() const { return fmt::format("trammel-{}", transport_.port()); }

// In the address, or in the cookie that came with the page.
LiveServer::Role LiveServer::role_of(const HttpRequest& request) {
  const auto has = [](const auto& values, const std::string& name, const std::string& wanted) {
    const auto at = values.find(name);
    return at != values.end() && same(at->second, wanted);
  };
  const auto shows = [&](const std::string& token) {
    const bool in_address = request.query.contains("token");
    return in_address ? has(request.query, "token", token) : has(request.cookies, cookie_name(), token);
  };
  if (shows(token_)) return Role::owner;
  if (!watch_token_.empty() && shows(watch_token_)) return Role::watcher;
  if (key_.empty() || !has(request.query, "key", key_)) return Role::none;
  key_.clear();
  return Role::owner;
}

// A page of another site, or a name of another's that leads here, is not welcome.
std::string LiveServer::refusal(const HttpRequest& request) {
  if (!is_own_host(request.host)) return "This server answers to its own address only.";
  if (!request.origin.empty() &&
      !(request.origin.starts_with("http://") && is_own_host(request.origin.substr(7))))
    return "A page of another origin may not connect.";
  // A key is used up by the page itself, not by the question whether it is welcome.
  const auto key = request.query.find("key");
  const bool has_key = !key_.empty() && key != request.query.end() && same(key->second, key_);
  if (!has_key && role_of(request) == Role::none)
    return "The token is missing or wrong: open the address that `trammel view` printed.";
  return {};
}

HttpResponse LiveServer::get(const HttpRequest& request) {
  if (request.path == "/") return page(request);
  if (role_of(request) != Role::owner)
    return {403, "text/plain; charset=utf-8", "This page only watches: it opens no other models.\n"};
  if (request.path == "/models") return models();
  if (request.path == "/thumbnail") return thumbnail(request);
  return {404, "text/plain; charset=utf-8", "There is no such page.\n"};
}

// Whoever may only watch gets the token for that, and no other.
HttpResponse LiveServer::page(const HttpRequest& request) {
  const bool owner = role_of(request) == Role::owner;
  HttpResponse out;
  out.type = "text/html; charset=utf-8";
  out.body = results::live_page().empty() ? kNoPage : std::string(results::live_page());
  out.headers = {
      {"Cache-Control", "no-store"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
      // The page takes the token from its own address; from here on its requests show it by themselves.
      {"Set-Cookie",
       fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(), owner ? token_ : watch_token_)},
      {"Content-Security-Policy",
       fmt::format("default-src 'none'; {}; img-src data: blob:; media-src blob:; "
                   "connect-src 'self' ws://{}; base-uri 'none'; form-action 'none'; "
                   "frame-ancestors 'none'",
                   results::live_page_policy(), request.host)}};
  return out;
}

HttpResponse LiveServer::models() const {
  return {200, "application/json", list_models(session_->folder(), recent_), {{"Cache-Control", "no-store"}}};
}

std::string LiveServer::file_of(const std::string& name) const {
  const std::vector<std::string>& recent = recent_.paths();
  if (std::find(recent.begin(), recent.end(), name) != recent.end()) return name;
  const fs::path path(name);
  const bool is_name = path.filename().string() == name && name.find('\0') == std::string::npos;
  const bool is_model = path.extension() == ".yaml" || path.extension() == ".yml";
  return is_name && is_model && !name.starts_with(".") ? (fs::path(session_->folder()) / path).string() : "";
}

HttpResponse LiveServer::thumbnail(const HttpRequest& request) {
  const auto name = request.query.find("path");
  const std::string file = name == request.query.end() ? "" : file_of(name->second);
  if (file.empty()) return {404, "text/plain; charset=utf-8", "There is no such model.\n"};
  return {200, "image/svg+xml", thumbnails_.of(file), {{"Cache-Control", "no-store"}}};
}

LiveServer::Client* LiveServer::client(const Connection& connection) {
  for (auto& [number, one] : clients_)
    if (one.connection == &connection) return &one;
  return nullptr;
}

void LiveServer::opened(Connection& connection, const HttpRequest& request) {
  Client added;
  added.connection = &connection;
  added.number = ++numbered_;
  clients_.emplace(added.number, std::move(added));
  session_->watch(true);
  const bool watches = role_of(request) == Role::watcher;
  clients_.at(numbered_).watches = watches;
  if (watches) connection.send(dump({{"event", "watching"}}));
  if (!session_->snapshot() && !watches) connection.send(dump({{"event", "no-model"}}));
}

void LiveServer::closed(Connection& connection) {
  const Client* gone = client(connection);
  if (gone == nullptr) return;
  // Whoever held something holds it no longer. A full queue is no reason to forget it.
  for (const std::string& name : gone->pulls) {
    const live::Json release = {{"do", "release"}, {"name", name}};
    const auto post = [this, release](const auto& self) -> void {
      if (!session_->post(release, nullptr)) transport_.post([self] { self(self); });
    };
    post(post);
  }
  clients_.erase(gone->number);
  session_->watch(!clients_.empty());
  renew_wanted();
}

void LiveServer::received(Connection& connection, const std::string& message, bool is_text) {
  Client* from = client(connection);
  if (from == nullptr) return;
  const auto refuse = [&](const char* why) {
    connection.send(dump({{"reply", nullptr}, {"ok", false}, {"error", why}}));
  };
  if (!is_text) return refuse("a command is a text frame of JSON");
  const live::Json command = results::parse_json(message);
  if (!command.is_object()) return refuse("a command is a JSON object: {\"id\": 1, \"do\": \"pause\"}");
  const live::Json id = command.contains("id") && command["id"].is_number() ? command["id"] : live::Json();
  if (!command.contains("do") || !command["do"].is_string()) return refuse("a command has a text \"do\"");
  try {
    take(*from, id, command);
  } catch (const std::exception& error) {
    connection.send(dump({{"reply", id}, {"ok", false}, {"error", error.what()}}));
  }
}

void LiveServer::take(Client& from, const live::Json& id, const live::Json& command) {
  const std::string what = command["do"];
  static const std::set<std::string> kReading = {"subscribe", "history", "frames", "describe", "text",
                                                 "journal",   "try",     "report", "analyse"};
  const bool reads = kReading.contains(what) || (what == "save" && !command.contains("path"));
  if (from.watches && !reads)
    throw std::invalid_argument("this page only watches: whoever started the program can change things");
  if (what == "subscribe") return answer(from.number, id, {}, subscribe(from, command));
  if (what == "history") return read_history(from, id, command);
  if (live::is_study(what)) return make_trial(from, id, command);
  if (what == "frames") return answer(from.number, id, {}, set_rate(from, command));
  if (what == "describe") {
    from.revision.reset();
    status_key_.clear();
    return answer(from.number, id, {}, {{"ok", true}});
  }
  pass_on(from, id, command);
}

// The text is the session's; the run is made beside it.
void LiveServer::make_trial(Client& from, const live::Json& id, const live::Json& command) {
  const unsigned long number = from.number;
  const auto reply = [this, number, id](const live::Json& told) {
    transport_.post([this, number, id, told] { answer(number, id, {}, told); });
  };
  const live::Json busy = {{"ok", false}, {"error", "too many runs are waiting; ask for fewer"}};
  const std::string file = (fs::path(session_->folder()) / "trial.yaml").string();
  const bool asked =
      session_->post({{"do", "text"}}, [this, reply, busy, file, command](const live::Json& text) {
        if (!text.value("ok", false)) return reply(text);
        transport_.post([this, reply, busy, file, command, yaml = text["yaml"].get<std::string>()] {
          if (!trials_.ask(yaml, file, command, reply)) reply(busy);
        });
      });
  if (!asked) reply(busy);
}

live::Json LiveServer::subscribe(Client& from, const live::Json& command) {
  const live::JsonFields fields(command, "subscribe", {"id", "do", "signals"});
  std::vector<std::string> wanted = fields.texts("signals");
  if (wanted.size() > kMaxSignals)
    throw std::invalid_argument(fmt::format("subscribe: at most {} signals", kMaxSignals));
  from.wanted = std::move(wanted);
  const auto snapshot = session_->snapshot();
  if (!snapshot) return {{"ok", true}, {"signals", live::Json::array()}};
  const live::Snapshot::Model& model = *snapshot->model;
  if (from.revision == model.revision) tell_model(from, *snapshot);
  renew_wanted();
  return {{"ok", true}, {"signals", names_of(places_of(from.wanted, model), model)}};
}

live::Json LiveServer::set_rate(Client& from, const live::Json& command) {
  const double rate = live::JsonFields(command, "frames", {"id", "do", "rate"}).number("rate");
  if (rate != 0 && !(rate >= 1 && rate <= 120))
    throw std::invalid_argument("frames: give 1 to 120 a second, or 0");
  from.rate = rate;
  return {{"ok", true}};
}

void LiveServer::read_history(Client& from, const live::Json& id, const live::Json& command) {
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() > 0xffffffffU)
    throw std::invalid_argument("history: its id must be a whole number below 2^32");
  const unsigned long number = from.number;
  const bool taken = session_->read(
      live::history_request(command), [this, number, id](live::HistoryBlock block, std::string error) {
        transport_.post([this, number, id, block = std::move(block), error = std::move(error)] {
          const auto at = clients_.find(number);
          if (at == clients_.end()) return;
          --at->second.in_flight;
          at->second.connection->hold(false);
          if (!error.empty()) return answer(number, id, {}, {{"ok", false}, {"error", error}});
          at->second.connection->send_bytes(encode_history(id.get<std::uint32_t>(), block));
        });
      });
  if (!taken) throw std::invalid_argument("too many commands are waiting; send fewer of them");
  if (++from.in_flight >= kMaxInFlight) from.connection->hold(true);
}

void LiveServer::pass_on(Client& from, const live::Json& id, const live::Json& command) {
  const unsigned long number = from.number;
  const bool taken = session_->post(command, [this, number, id, command](live::Json reply) {
    transport_.post([this, number, id, command, reply = std::move(reply)] {
      if (const auto at = clients_.find(number); at != clients_.end()) {
        --at->second.in_flight;
        at->second.connection->hold(false);
      }
      answer(number, id, command, reply);
    });
  });
  if (!taken)
    return answer(number, id, {},
                  {{"ok", false}, {"error", "too many commands are waiting; send fewer of them"}});
  // Served before more is read: a flood waits at its source.
  if (++from.in_flight >= kMaxInFlight) from.connection->hold(true);
}

void LiveServer::answer(unsigned long number, const live::Json& id, const live::Json& command,
                        live::Json reply) {
  const auto at = clients_.find(number);
  if (at == clients_.end()) return;
  Client& to = at->second;
  if (command.is_object() && reply.value("ok", false)) {
    const std::string what = command.value("do", "");
    if (what == "pull") to.pulls.insert(command.value("name", "pull"));
    if (what == "release" && command.contains("name")) to.pulls.erase(command["name"].get<std::string>());
    if (what == "release" && !command.contains("name")) to.pulls.clear();
    if (what == "open-model" || (what == "save" && command.contains("path")))
      recent_.add(file_of(command["path"].get<std::string>()));
  }
  reply["reply"] = id;
  to.connection->send(dump(reply));
}

void LiveServer::tick() {
  if (clients_.empty()) return;
  const auto snapshot = session_->snapshot();
  if (!snapshot) return;
  const Clock::time_point now = Clock::now();
  for (auto& [number, to] : clients_) show(to, snapshot, now);
  tell_status(*snapshot);
}

void LiveServer::show(Client& to, const std::shared_ptr<const live::Snapshot>& snapshot,
                      Clock::time_point now) {
  const unsigned revision = snapshot->model->revision;
  if (to.connection->is_behind()) return;
  if (to.revision != revision) {
    ask_what_fits(*snapshot->model);
    if (!unfit_) return;  // the first model is told with what fits it
    if (model_revision_ != revision && now < model_from_) return;
    tell_model(to, *snapshot);
    renew_wanted();
  }
  if (to.rate == 0 || now < to.next || to.sent == snapshot) return;
  if (!to.connection->send_frame(encode_frame(*snapshot, to.signals))) return;
  to.sent = snapshot;
  // Whoever looks has the first picture: now it may move.
  session_->begin();
  const auto period = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / to.rate));
  // A little early, so that 60 a second are not halved by a late tick.
  to.next = now + period * 3 / 4;
}

void LiveServer::ask_what_fits(const live::Snapshot::Model& model) {
  if (asked_ == model.mechanism) return;
  asked_ = model.mechanism;
  judge_.ask(asked_);
}

// A model that was told of with what fitted the one before is told of again.
void LiveServer::learn_what_fits(Unfit unfit) {
  if (unfit_ == unfit) return;
  unfit_ = std::move(unfit);
  const auto model = session_->snapshot()->model;
  if (model_revision_ != model->revision) return;
  model_text_ = model_event(*model, *unfit_);
  for (auto& [number, one] : clients_)
    if (one.revision == model_revision_) one.connection->send(model_text_);
}

void LiveServer::learn_mobility(const std::shared_ptr<const Mechanism>& model, live::Json event) {
  mobile_ = model;
  mobility_ = std::move(event);
  for (auto& [number, one] : clients_) tell_mobility(one);
}

// To a page that has been told of the model.
void LiveServer::tell_mobility(Client& to) {
  const auto snapshot = session_->snapshot();
  if (!snapshot || snapshot->model->mechanism != mobile_ || to.revision != snapshot->model->revision) return;
  live::Json event = mobility_;
  event["revision"] = snapshot->model->revision;
  to.connection->send(dump(event));
}

// The model, if it is new to this client, and what its frames hold from now on.
void LiveServer::tell_model(Client& to, const live::Snapshot& snapshot) {
  const live::Snapshot::Model& model = *snapshot.model;
  if (model_revision_ != model.revision) {
    const Clock::time_point begin = Clock::now();
    model_text_ = model_event(model, *unfit_);
    model_revision_ = model.revision;
    model_from_ = Clock::now() + (Clock::now() - begin) * kRestPerModel;
  }
  if (to.revision != model.revision) {
    to.connection->send(model_text_);
    to.revision = model.revision;
    tell_mobility(to);
  }
  to.signals = places_of(to.wanted, model);
  live::Json names = names_of(to.signals, model);
  to.connection->send(
      dump({{"event", "subscribed"}, {"revision", model.revision}, {"signals", std::move(names)}}));
}

// Only what someone looks at is computed.
void LiveServer::renew_wanted() {
  const auto snapshot = session_->snapshot();
  if (!snapshot) return;
  unsigned groups = 0;
  for (const auto& [number, one] : clients_)
    for (const int k : places_of(one.wanted, *snapshot->model))
      groups |= snapshot->model->groups[static_cast<std::size_t>(k)];
  session_->want(groups);
}

void LiveServer::tell_status(const live::Snapshot& s) {
  live::Json pulls = live::Json::array();
  for (const auto& pull : s.pulls) pulls.push_back(pull.name);
  live::Json status = {{"event", "status"},  {"paused", s.paused}, {"speed", s.speed},
                       {"failed", s.failed}, {"pulls", pulls},     {"clients", clients_.size()}};
  const live::Snapshot::Timeline& line = s.timeline;
  live::Json ghosts = live::Json::array(), edits = live::Json::array();
  for (const auto& ghost : line.ghosts)
    ghosts.push_back({{"branch", ghost.branch}, {"from_t", ghost.from_t}, {"end_t", ghost.end_t}});
  for (const auto& edit : line.edits) edits.push_back({{"t", edit.t}, {"label", edit.label}});
  live::Json timeline = {{"branch", line.branch},   {"from_t", line.from_t}, {"begin", line.begin},
                         {"begin_t", line.begin_t}, {"ghosts", ghosts},      {"edits", edits},
                         {"most", line.most}};
  status["timeline"] = timeline;
  const std::string key = dump(status);
  const Clock::time_point now = Clock::now();
  if (key == status_key_ && std::chrono::duration<double>(now - status_at_).count() < kStatusEvery) return;
  status_key_ = key;
  status_at_ = now;
  status["t"] = s.t;
  status["step"] = s.step;
  status["realtime"] = s.realtime;
  status["timeline"]["end"] = line.end;
  status["timeline"]["end_t"] = line.end_t;
  status["timeline"]["bytes"] = line.bytes;
  tell_all(status);
}

void LiveServer::tell_all(const live::Json& event) {
  const std::string text = dump(event);
  for (auto& [number, one] : clients_)
    if (!one.connection->is_behind()) one.connection->send(text);
}

}  // namespace trammel::server
