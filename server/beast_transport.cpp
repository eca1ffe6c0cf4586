// The transport by Boost.Beast. The only file that includes it: it takes half a minute to compile.
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "server/transport.h"

namespace trammel::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr int kTicksASecond = 20;
constexpr auto kTick = std::chrono::milliseconds(1000 / kTicksASecond);
constexpr auto kHttpTimeout = std::chrono::seconds(15);
// Pages are asked for a sign of life so often; one that gave none for so long may lose its place to another.
constexpr double kPing = 1;  // s
constexpr auto kSilent = std::chrono::seconds(3);
constexpr std::size_t kBehind = 256 << 10;
constexpr std::size_t kHeaderBytes = 8 << 10, kBodyBytes = 1 << 10;

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

// name=value; name=value; values of our own have no blanks and no quotes
std::map<std::string, std::string> cookies_of(const std::string& header) {
  std::map<std::string, std::string> all;
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find(';', at), header.size());
    const std::size_t start = header.find_first_not_of(' ', at), equals = header.find('=', at);
    if (start < end && equals < end)
      all[header.substr(start, equals - start)] = header.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  return all;
}

HttpRequest request_of(const http::request<http::string_body>& request) {
  HttpRequest out;
  std::string target = text_of(request.target());
  out.host = text_of(request[http::field::host]);
  out.origin = text_of(request[http::field::origin]);
  out.cookies = cookies_of(text_of(request[http::field::cookie]));
  const std::size_t mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark == std::string::npos) return out;
  // name=value&…; our own values need no escapes
  std::string rest = target.substr(mark + 1);
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t end = std::min(rest.find('&', at), rest.size());
    const std::string pair = rest.substr(at, end - at);
    const std::size_t equals = pair.find('=');
    if (equals != std::string::npos) out.query[pair.substr(0, equals)] = pair.substr(equals + 1);
    at = end + 1;
  }
  return out;
}

class HttpSession;
class WebSocket;

// HTTP connections of one kind, those that came first in front. When all places are taken, a new connection
// closes the one in front.
struct Queue {
  std::size_t limit;
  std::list<HttpSession*> sessions{};
};

struct Shared {
  Shared(Handler& all, const Transport::Limits& most)
      : handler(all), limits(most), strangers{most.strangers}, guests{most.guests} {}

  Handler& handler;
  Transport::Limits limits;
  Queue strangers;        // have not shown the token in the present request
  Queue guests;           // have, and are being answered
  std::size_t pages = 0;  // WebSockets, those in their handshake included
  asio::io_context context{1};
  // Open ones: one that is held has nothing under way that would keep it.
  std::set<std::shared_ptr<WebSocket>> open{};
};

class WebSocket final : public Connection, public std::enable_shared_from_this<WebSocket> {
 public:
  WebSocket(beast::tcp_stream stream, Shared& shared)
      : shared_(shared), socket_(std::move(stream)), timer_(shared.context) {
    ++shared_.pages;
  }
  ~WebSocket() override { --shared_.pages; }
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  void accept(const http::request<http::string_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.auto_fragment(false);  // one message, one frame
    socket_.read_message_max(shared_.limits.message_bytes);
    socket_.control_callback([this](websocket::frame_type, beast::string_view) { heard_ = Clock::now(); });
    socket_.async_accept(request,
                         [self = shared_from_this(), asked = request_of(request)](error_code failed) {
                           if (failed) return;
                           self->open_ = true;
                           self->shared_.open.insert(self);
                           self->shared_.handler.opened(*self, asked);
                           self->read();
                         });
  }

  void send(std::string text) override { push({std::make_shared<const std::string>(std::move(text))}); }

  void send_bytes(std::string bytes) override {
    push({std::make_shared<const std::string>(std::move(bytes)), true});
  }

  bool send_frame(std::shared_ptr<const std::string> bytes) override {
    if (frame_waits_ || !open_) return false;
    frame_waits_ = true;
    push({std::move(bytes), true, true});
    return true;
  }

  bool is_behind() const override { return waiting_bytes_ > kBehind; }

  void hold(bool held) override {
    held_ = held;
    if (held) return;
    heard_ = Clock::now();
    if (!reading_) read();
  }

  // One that is held is not read, so that no sign of life can come.
  Clock::duration silence() const {
    return held_ || dropped_ ? Clock::duration::zero() : Clock::now() - heard_;
  }

  void ping() {
    if (!open_ || dropped_ || std::exchange(pinging_, true)) return;
    socket_.async_ping({}, [self = shared_from_this()](error_code) { self->pinging_ = false; });
  }

  // The read or write that is under way notices, so that no one is called from here.
  void drop() {
    error_code ignored;
    dropped_ = true;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

 private:
  struct Message {
    std::shared_ptr<const std::string> bytes;
    bool binary = false, frame = false;
  };

  void read() {
    if (!open_ || held_ || reading_) return;
    // More than its share in this tick: the rest is read in the next.
    const Clock::time_point now = Clock::now();
    if (now - tick_ > kTick) {
      tick_ = now;
      in_tick_ = 0;
    }
    reading_ = true;
    if (++in_tick_ > shared_.limits.messages_a_second / kTicksASecond) {
      timer_.expires_at(tick_ + kTick);
      timer_.async_wait([self = shared_from_this()](error_code) {
        self->reading_ = false;
        self->read();
      });
      return;
    }
    socket_.async_read(buffer_, [self = shared_from_this()](error_code failed, std::size_t) {
      self->reading_ = false;
      if (failed) return self->end();
      self->heard_ = Clock::now();
      const std::string message = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->shared_.handler.received(*self, message, self->socket_.got_text());
      self->read();
    });
  }

  void push(Message message) {
    if (!open_ || dropped_) return;
    waiting_bytes_ += message.bytes->size();
    if (waiting_bytes_ > shared_.limits.waiting_bytes) return drop();  // it does not read
    waiting_.push_back(std::move(message));
    if (waiting_.size() == 1) write();
  }

  void write() {
    socket_.binary(waiting_.front().binary);
    socket_.async_write(asio::buffer(*waiting_.front().bytes),
                        [self = shared_from_this()](error_code failed, std::size_t) {
                          const Message& gone = self->waiting_.front();
                          self->waiting_bytes_ -= gone.bytes->size();
                          if (gone.frame) self->frame_waits_ = false;
                          self->waiting_.pop_front();
                          if (failed) return self->end();
                          if (!self->waiting_.empty()) self->write();
                        });
  }

  void end() {
    if (!std::exchange(open_, false)) return;
    timer_.cancel();
    shared_.handler.closed(*this);
    shared_.open.erase(shared_from_this());
  }

  Shared& shared_;
  websocket::stream<beast::tcp_stream> socket_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::deque<Message> waiting_;
  std::size_t waiting_bytes_ = 0;
  Clock::time_point tick_, heard_ = Clock::now();
  int in_tick_ = 0;
  bool open_ = false, dropped_ = false, reading_ = false, held_ = false, frame_waits_ = false;
  bool pinging_ = false;
};

class HttpSession final : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, Shared& shared) : shared_(shared), stream_(std::move(socket)) {}
  ~HttpSession() { leave(); }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void read() {
    enter(shared_.strangers);
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(kBodyBytes);
    stream_.expires_after(kHttpTimeout);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](error_code failed, std::size_t) {
      if (failed) return self->answer_failure(failed);
      self->serve();
    });
  }

  // The read or write that is under way fails, and with it ends the last that keeps this session.
  void drop() {
    leave();
    error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  void enter(Queue& queue) {
    leave();
    if (queue.sessions.size() >= queue.limit) queue.sessions.front()->drop();
    queue_ = &queue;
    place_ = queue.sessions.insert(queue.sessions.end(), this);
  }

  void leave() {
    if (Queue* queue = std::exchange(queue_, nullptr)) queue->sessions.erase(place_);
  }

  // A request that is none: said once, then closed.
  void answer_failure(error_code failed) {
    if (failed == http::error::end_of_stream || failed == beast::error::timeout ||
        failed.category() != http::make_error_code(http::error::bad_method).category())
      return;
    keep_ = false;
    answer({400, "text/plain; charset=utf-8", "This is not a request that the server understands.\n"});
  }

  void serve() {
    const http::request<http::string_body>& request = parser_->get();
    const HttpRequest asked = request_of(request);
    if (const std::string why = shared_.handler.refusal(asked); !why.empty()) {
      keep_ = false;
      return answer({403, "text/plain; charset=utf-8", why + "\n"});
    }
    enter(shared_.guests);
    if (websocket::is_upgrade(request)) return upgrade(asked);
    keep_ = request.keep_alive();
    head_only_ = request.method() == http::verb::head;
    if (request.method() != http::verb::get && !head_only_)
      return answer({405, "text/plain; charset=utf-8", "Only GET is served.\n"});
    answer(shared_.handler.get(asked));
  }

  void upgrade(const HttpRequest& asked) {
    keep_ = false;
    if (asked.path != "/live") return answer({404, "text/plain; charset=utf-8", "There is no such page.\n"});
    if (!make_room())
      return answer({503, "text/plain; charset=utf-8", "Too many pages are open: close one of them.\n"});
    leave();
    std::make_shared<WebSocket>(std::move(stream_), shared_)->accept(parser_->get());
  }

  // Where all places of pages are taken, the page that has been silent longest loses its own, if it has been
  // silent for long.
  bool make_room() {
    if (shared_.pages < shared_.limits.pages) return true;
    const auto silent =
        std::max_element(shared_.open.begin(), shared_.open.end(),
                         [](const auto& a, const auto& b) { return a->silence() < b->silence(); });
    if (silent == shared_.open.end() || (*silent)->silence() < kSilent) return false;
    (*silent)->drop();
    return true;
  }

  void answer(HttpResponse response) {
    reply_ = {};
    reply_.version(11);
    reply_.result(static_cast<unsigned>(response.status));
    reply_.set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) reply_.set(name, value);
    reply_.keep_alive(keep_);
    reply_.body() = std::move(response.body);
    reply_.prepare_payload();
    if (head_only_) reply_.body().clear();
    http::async_write(stream_, reply_, [self = shared_from_this()](error_code failed, std::size_t) {
      if (!failed && self->keep_) return self->read();
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  Shared& shared_;
  Queue* queue_ = nullptr;
  std::list<HttpSession*>::iterator place_;  // in the queue
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> reply_;
  bool keep_ = true, head_only_ = false;
};

}  // namespace

struct Transport::Implementation {
  Implementation(Handler& handler, const Limits& limits)
      : shared(handler, limits), acceptor(shared.context), pause(shared.context) {}

  void accept() {
    acceptor.async_accept([this](error_code failed, tcp::socket socket) {
      if (failed == asio::error::operation_aborted) return;
      if (failed) return accept_again();
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<HttpSession>(std::move(socket), shared)->read();
      accept();
    });
  }

  // As when the process may open no more files: the stranger that has waited longest gives up its own. Where
  // there is none, trying again at once would take all of the thread's time.
  void accept_again() {
    if (!shared.strangers.sessions.empty()) {
      shared.strangers.sessions.front()->drop();
      return accept();
    }
    pause.expires_after(kTick);
    pause.async_wait([this](error_code failed) {
      if (!failed) accept();
    });
  }

  struct Ticking {
    asio::steady_timer timer;
    Clock::duration period;
    std::function<void()> call;

    // Ticks that were missed are left out.
    void wait() {
      timer.expires_at(std::max(timer.expiry() + period, Clock::now()));
      timer.async_wait([this](error_code failed) {
        if (failed) return;
        call();
        wait();
      });
    }
  };

  Shared shared;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::list<Ticking> ticking;
};

Transport::Transport(Handler& handler, const std::string& address, unsigned short port, const Limits& limits)
    : implementation_(std::make_unique<Implementation>(handler, limits)) {
  try {
    const tcp::endpoint where(asio::ip::make_address(address), port);
    tcp::acceptor& acceptor = implementation_->acceptor;
    acceptor.open(where.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(where);
    acceptor.listen();
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen at " + address + ", port " + std::to_string(port) + ": " +
                             error.code().message() + "; try another --port");
  }
  implementation_->accept();
  every(kPing, [&open = implementation_->shared.open] {
    for (const auto& page : open) page->ping();
  });
}

Transport::~Transport() = default;

unsigned short Transport::port() const { return implementation_->acceptor.local_endpoint().port(); }

void Transport::run() { implementation_->shared.context.run(); }

void Transport::stop() { implementation_->shared.context.stop(); }

void Transport::post(std::function<void()> call) {
  asio::post(implementation_->shared.context, std::move(call));
}

void Transport::every(double seconds, std::function<void()> call) {
  auto& all = implementation_->ticking;
  all.push_back({asio::steady_timer(implementation_->shared.context, Clock::now()),
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)),
                 std::move(call)});
  all.back().wait();
}

}  // namespace trammel::server
