// A transport of the live protocol without a network: one client in this process, driven by hand.
//
// memory_transport.cpp takes the place of server/beast_transport.cpp. What the server posts to its network
// thread is carried out by serve(), on the caller's.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/transport.h"

namespace trammel::fuzz {

class MemoryClient final : public server::Connection {
 public:
  void send(std::string text) override { texts.push_back(std::move(text)); }
  void send_bytes(std::string bytes) override { replies.push_back(std::move(bytes)); }
  bool send_frame(std::shared_ptr<const std::string> bytes) override {
    frames.push_back(std::move(bytes));
    return true;
  }
  bool is_behind() const override { return false; }
  void hold(bool) override {}

  std::vector<std::string> texts, replies;
  std::vector<std::shared_ptr<const std::string>> frames;
};

// What stands behind the one Transport of this process.
class MemoryTransport {
 public:
  static MemoryTransport& only();

  void post(std::function<void()> call);
  // Carries out what was posted until `done`, and waits for more while it is not.
  void serve(const std::function<bool()>& done);

  server::Handler* handler = nullptr;
  std::function<void()> tick;  // of Transport::every

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> posted_;
};

}  // namespace trammel::fuzz
