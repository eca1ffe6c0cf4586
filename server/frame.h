// Binary frames of the live protocol (docs/live-protocol.md), little-endian.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "live/history.h"
#include "live/snapshot.h"

namespace trammel::server {

inline constexpr std::uint32_t kFrameMagic = 0x4C4D5254;    // "TRML"
inline constexpr std::uint32_t kHistoryMagic = 0x484D5254;  // "TRMH"

// signals: places among the snapshot's values.
std::shared_ptr<const std::string> encode_frame(const live::Snapshot& snapshot,
                                                const std::vector<int>& signals);

// The answer to a `history` command of that id.
std::string encode_history(std::uint32_t id, const live::HistoryBlock& block);

// What a frame costs with everything subscribed but the bodies' places: mean over many, in seconds.
struct FrameCost {
  std::size_t bodies = 0, signals = 0, bytes = 0;
  double state = 0;      // on the physics thread: poses, coordinates, energies
  double reactions = 0;  // there too, only while someone looks at one
  double encode = 0;     // on the server's, per page
};
FrameCost measure_frames(const live::LiveSource& source);

}  // namespace trammel::server
