// LiveServer: a live run served to pages (docs/live-protocol.md). Loopback only unless told otherwise; a
// random token in the address; the Origin and Host that browsers send must be the server's own.
#pragma once

#include <chrono>
#include <optional>
#include <set>

#include "live/live_session.h"
#include "server/model_event.h"
#include "server/model_files.h"
#include "server/transport.h"
#include "server/trials.h"

namespace trammel::server {

struct ServerOptions {
  std::string address = "127.0.0.1";
  unsigned short port = 0;  // any free one
  std::string journal;      // file; empty: in memory
  std::string recent;       // file that keeps what was opened; empty: none
  // Other machines may connect too, under these names of this one, with a token that only lets them watch.
  bool share = false;
  std::vector<std::string> names{};
};

class LiveServer final : private Handler {
 public:
  // Throws std::runtime_error when the model cannot be opened or the port is taken.
  LiveServer(live::LiveSource source, const ServerOptions& options);
  // No model yet: pages show those of a folder, or draw one.
  LiveServer(const std::string& folder, const ServerOptions& options);
  ~LiveServer() override;

  // What a person opens, token included.
  std::string url() const;
  // What others open to watch; empty: it is not shared.
  std::vector<std::string> shared_urls() const;
  // The same for a program that is told by its arguments, which others can read: good for one request.
  std::string url_once();
  const std::string& token() const { return token_; }
  // Serves until stop(), which may come from any thread or a signal's.
  void run();
  void stop() { transport_.stop(); }
  live::LiveSession& session() { return *session_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    Connection* connection = nullptr;
    unsigned long number = 0;
    std::vector<std::string> wanted;   // signals by name
    std::optional<unsigned> revision;  // of the model that it was told of
    std::vector<int> signals;          // the places of those in that model's list
    double rate = 60;                  // frames a second
    Clock::time_point next{};
    std::shared_ptr<const live::Snapshot> sent{};
    int in_flight = 0;
    std::set<std::string> pulls{};
    bool watches = false;  // may not change anything
  };

  HttpResponse get(const HttpRequest&) override;
  std::string refusal(const HttpRequest&) override;
  void opened(Connection&, const HttpRequest&) override;
  void received(Connection&, const std::string& message, bool is_text) override;
  void closed(Connection&) override;

  bool is_own_host(const std::string& host) const;
  enum class Role { none, watcher, owner };
  Role role_of(const HttpRequest&);
  std::string address() const;
  std::string cookie_name() const;
  HttpResponse page(const HttpRequest&);
  HttpResponse models() const;
  HttpResponse thumbnail(const HttpRequest&);
  // Its full name, if pages may open it; else empty.
  std::string file_of(const std::string& name) const;

  void take(Client&, const live::Json& id, const live::Json& command);
  live::Json subscribe(Client&, const live::Json& command);
  live::Json set_rate(Client&, const live::Json& command);
  void read_history(Client&, const live::Json& id, const live::Json& command);
  void make_trial(Client&, const live::Json& id, const live::Json& command);
  void pass_on(Client&, const live::Json& id, const live::Json& command);
  void answer(unsigned long number, const live::Json& id, const live::Json& command, live::Json reply);
  void tick();
  void show(Client&, const std::shared_ptr<const live::Snapshot>&, Clock::time_point now);
  void ask_what_fits(const live::Snapshot::Model&);
  void learn_what_fits(Unfit unfit);
  void learn_mobility(const std::shared_ptr<const Mechanism>&, live::Json event);
  void tell_mobility(Client&);
  void tell_model(Client&, const live::Snapshot&);
  void tell_status(const live::Snapshot&);
  void tell_all(const live::Json& event);
  void renew_wanted();
  Client* client(const Connection&);

  // Before a session is made.
  LiveServer(const ServerOptions& options);
  live::LiveSession::Tell teller();
  void begin(std::unique_ptr<live::LiveSession> session);

  std::string token_, key_, address_;  // key_: for one request, if it is not empty
  std::string watch_token_;            // of those who may only watch; empty: there are none
  std::vector<std::string> names_;     // of this machine, for others
  Transport transport_;
  RecentFiles recent_;
  Thumbnails thumbnails_;
  std::unique_ptr<live::LiveSession> session_;
  std::map<unsigned long, Client> clients_;
  unsigned long numbered_ = 0;
  std::string model_text_;
  std::shared_ptr<const Mechanism> asked_;   // for what fits it
  std::optional<Unfit> unfit_;               // of what was judged last
  std::shared_ptr<const Mechanism> mobile_;  // whose mobility is known
  live::Json mobility_;
  std::optional<unsigned> model_revision_;  // of the text
  Clock::time_point model_from_{}, status_at_{};
  std::string status_key_;
  FitJudge judge_;
  Trials trials_;
};

}  // namespace trammel::server
