#include "memory_transport.h"

namespace trammel::fuzz {

MemoryTransport& MemoryTransport::only() {
  static MemoryTransport transport;
  return transport;
}

void MemoryTransport::post(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(call));
  }
  wake_.notify_one();
}

void MemoryTransport::serve(const std::function<bool()>& done) {
  while (!done()) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return !posted_.empty(); });
    const std::function<void()> call = std::move(posted_.front());
    posted_.pop_front();
    lock.unlock();
    call();
  }
}

}  // namespace trammel::fuzz

namespace trammel::server {

struct Transport::Implementation {};

Transport::Transport(Handler& handler, const std::string&, unsigned short, const Limits&) {
  fuzz::MemoryTransport::only().handler = &handler;
}
Transport::~Transport() = default;
unsigned short Transport::port() const { return 1; }
void Transport::run() {}
void Transport::stop() {}
void Transport::every(double, std::function<void()> call) {
  fuzz::MemoryTransport::only().tick = std::move(call);
}
void Transport::post(std::function<void()> call) { fuzz::MemoryTransport::only().post(std::move(call)); }

}  // namespace trammel::server
