#include "server/frame.h"

#include <bit>
#include <chrono>
#include <cstring>

namespace trammel::server {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

class Writer {
 public:
  explicit Writer(std::size_t size) { bytes_.reserve(size); }
  template <class T>
  void put(T value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, sizeof value);
  }
  void put(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  void put(const Vec3& x) {
    for (int i = 0; i < 3; ++i) put(static_cast<float>(x[i]));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::shared_ptr<const std::string> encode_frame(const live::Snapshot& s, const std::vector<int>& signals) {
  constexpr std::size_t kHeader = 40, kPull = 32;
  Writer out(kHeader + 8 * signals.size() + 4 * s.poses.size() + kPull * s.pulls.size());
  out.put(kFrameMagic);
  out.put(static_cast<std::uint32_t>(s.model->revision));
  out.put(s.t);
  out.put(static_cast<std::uint64_t>(s.step));
  out.put(static_cast<float>(s.realtime));
  out.put(static_cast<std::uint8_t>((s.paused ? 1 : 0) | (s.marked ? 2 : 0) | (s.failed ? 4 : 0)));
  out.put(static_cast<std::uint8_t>(s.pulls.size()));
  out.put(static_cast<std::uint16_t>(signals.size()));
  out.put(static_cast<std::uint32_t>(s.poses.size() / 7));
  out.put(std::uint32_t{0});
  for (const int k : signals) out.put(s.values[static_cast<std::size_t>(k)]);
  out.put(s.poses.data(), 4 * s.poses.size());
  for (const auto& pull : s.pulls) {
    out.put(static_cast<float>(pull.body));
    out.put(0.0F);
    out.put(pull.point);
    out.put(pull.target);
  }
  return std::make_shared<const std::string>(out.take());
}

std::string encode_history(std::uint32_t id, const live::HistoryBlock& block) {
  const std::size_t rows = block.t.size();
  Writer out(48 + 8 * (rows + block.values.size()) + 4 * block.poses.size());
  out.put(kHistoryMagic);
  out.put(id);
  out.put(static_cast<std::uint32_t>(block.branch));
  out.put(static_cast<std::uint32_t>(rows));
  out.put(static_cast<std::uint32_t>(block.columns));
  out.put(static_cast<std::uint32_t>(block.bodies));
  out.put(static_cast<std::uint64_t>(block.every));
  out.put(static_cast<std::uint64_t>(block.first));
  out.put(static_cast<std::uint64_t>(block.last));
  out.put(block.t.data(), 8 * rows);
  out.put(block.values.data(), 8 * block.values.size());
  out.put(block.poses.data(), 4 * block.poses.size());
  return out.take();
}

FrameCost measure_frames(const live::LiveSource& source) {
  using Clock = std::chrono::steady_clock;
  constexpr int kFrames = 500;
  live::LiveRun run(source);
  live::LiveSignals signals(run.simulation());
  const auto model = live::describe_model(run, signals, 1);
  std::vector<int> wanted;
  unsigned groups = 0;
  for (std::size_t k = 0; k < model->signals.size(); ++k) {
    const unsigned group = model->groups[k];
    if (group == live::LiveSignals::kBodies) continue;
    wanted.push_back(static_cast<int>(k));
    groups |= group;
  }
  FrameCost cost;
  cost.bodies = model->mechanism->bodies.size();
  cost.signals = wanted.size();
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  for (int k = 0; k < kFrames; ++k) {
    const StepResult last = run.step();
    const Clock::time_point begin = Clock::now();
    static_cast<void>(live::take_snapshot(run, signals, last, 1, groups & ~live::LiveSignals::kReactions));
    const Clock::time_point known = Clock::now();
    live::Snapshot snapshot = live::take_snapshot(run, signals, last, 1, groups);
    snapshot.model = model;
    const Clock::time_point taken = Clock::now();
    cost.bytes = encode_frame(snapshot, wanted)->size();
    cost.encode += seconds(Clock::now() - taken) / kFrames;
    cost.state += seconds(known - begin) / kFrames;
    cost.reactions += seconds((taken - known) - (known - begin)) / kFrames;
  }
  return cost;
}

}  // namespace trammel::server
