// Transport: HTTP and WebSocket on one thread, behind an interface that names no library.
//
// Limits: size of messages, number of connections, what may wait to be sent. A client that sends faster than
// it is served is read more slowly, not refused; one that does not read what it is sent is disconnected.
// Connections that the handler has not welcomed have places of their own: whoever comes next takes that of
// the one that has waited longest, so that none of them keeps a page out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace trammel::server {

struct HttpRequest {
  std::string path;  // without the query
  std::map<std::string, std::string> query;
  std::string host, origin;  // as the client says; empty: it does not
  std::map<std::string, std::string> cookies{};
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::map<std::string, std::string> headers{};
};

// A WebSocket, used on the transport's thread only.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void send(std::string text) = 0;
  virtual void send_bytes(std::string bytes) = 0;
  // False when the last frame has not gone out yet: then this one is left out.
  virtual bool send_frame(std::shared_ptr<const std::string> bytes) = 0;
  // Much waits to be sent to it: what can be left out should be.
  virtual bool is_behind() const = 0;
  // Reads no more until told so.
  virtual void hold(bool held) = 0;
};

// What the transport calls, on its thread.
class Handler {
 public:
  virtual ~Handler() = default;
  // Why a request is not welcome; empty: it is.
  virtual std::string refusal(const HttpRequest&) = 0;
  // Of a request that is welcome.
  virtual HttpResponse get(const HttpRequest&) = 0;
  // With the request that asked for it.
  virtual void opened(Connection&, const HttpRequest&) = 0;
  virtual void received(Connection&, const std::string& message, bool is_text) = 0;
  virtual void closed(Connection&) = 0;
};

class Transport {
 public:
  struct Limits {
    std::size_t message_bytes = 64 << 10;
    std::size_t strangers = 256;           // connections that have not made a welcome request
    std::size_t guests = 64;               // that have, and wait for the answer
    std::size_t pages = 64;                // WebSockets
    std::size_t waiting_bytes = 16 << 20;  // to be sent to one client
    int messages_a_second = 2000;          // of one client; more are read later
  };

  // Binds at once; port 0: any free one. Throws std::runtime_error when it cannot.
  Transport(Handler& handler, const std::string& address, unsigned short port, const Limits& limits);
  ~Transport();

  unsigned short port() const;
  // Serves until stop().
  void run();
  void every(double seconds, std::function<void()> call);
  // Any thread.
  void stop();
  void post(std::function<void()> call);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::server
