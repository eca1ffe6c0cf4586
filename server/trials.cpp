#include "server/trials.h"

#include "live/study.h"

namespace trammel::server {
namespace {

constexpr std::size_t kMostWaiting = 16;

}  // namespace

Trials::~Trials() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Trials::ask(std::string text, std::string file, live::Json command, Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kMostWaiting) return false;
    queue_.push_back({std::move(text), std::move(file), std::move(command), std::move(answer)});
  }
  wake_.notify_all();
  return true;
}

void Trials::loop() {
  while (!stopping_) {
    Question next;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    live::Json reply;
    try {
      reply = live::run_study(next.text, next.file, next.command, stopping_);
    } catch (const std::exception& error) {
      reply = {{"ok", false}, {"error", error.what()}};
    }
    if (!stopping_) next.answer(std::move(reply));
  }
}

}  // namespace trammel::server
