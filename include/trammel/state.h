// State: everything that a System needs to go on from here. A small value; a copy resumes to the same bits,
// and so does one that was written to bytes and read again.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

// How long a vector that a method keeps in the State is of use.
enum class Lifetime {
  step,  // a step leaves it for the next; made anew after a jump of the motion (start, impact, edit)
  run,   // survives impacts
  edit   // survives edits too: it goes over to the edited mechanism
};

// The name of a slot, held in place: a State refers to nothing outside itself.
class SlotName {
 public:
  static constexpr std::size_t kLongest = 31;

  // Throws std::invalid_argument where it is too long.
  template <std::convertible_to<std::string_view> Text>
  constexpr SlotName(const Text& given) {
    const std::string_view text = given;
    if (text.size() > kLongest) throw std::invalid_argument("the name of a slot is too long");
    for (std::size_t i = 0; i < text.size(); ++i) text_[i] = text[i];
  }
  constexpr std::string_view text() const { return text_.data(); }
  friend constexpr bool operator==(const SlotName&, const SlotName&) = default;

 private:
  std::array<char, kLongest + 1> text_{};
};

// A vector that a formulation, an integrator or the System keeps in the State. Each is declared once, as a
// constant beside what writes it. Names differ.
struct MemorySlot {
  SlotName name;
  Lifetime lifetime;

  friend constexpr bool operator==(const MemorySlot& a, const MemorySlot& b) { return a.name == b.name; }
};

struct Memory {
  MemorySlot slot;
  std::vector<double> values;
};

// What of a State within a step is asked for: positions alone leave the rest as it was at the step's
// beginning or as interpolated, and the constraints of velocities open by what that errs.
enum class Wanted { all, positions };

struct State {
  double t = 0;  // s
  // What acts on the mechanism is seen within these times: from just after its last jump or kink to just
  // before the next. So a step that starts or ends at one sees its own side only.
  double after = -std::numeric_limits<double>::infinity(), before = std::numeric_limits<double>::infinity();
  std::vector<double> q;       // positions (nq)
  std::vector<double> v;       // velocities (nv)
  std::vector<double> a;       // accelerations v̇ (nv)
  std::vector<double> lambda;  // multipliers (m), M v̇ + Φ_vᵀλ = Q; of constraints of velocities last
  std::vector<double> x;       // auxiliary states
  std::vector<double> inputs;  // values set from outside between steps
  std::vector<Memory> memory;

  // The vector of that slot, made with `size` zeros when it is not there yet. The reference holds until
  // another slot is remembered or forgotten.
  std::vector<double>& remember(const MemorySlot& slot, std::size_t size);
  const std::vector<double>* recall(const MemorySlot& slot) const;
  double seen_time() const { return t < after ? after : t > before ? before : t; }
  void take_time(const State& from) {
    t = from.t;
    after = from.after;
    before = from.before;
  }
  // Drops what does not survive a jump of the motion.
  void forget_steps();
};

// A State as bytes, exactly, and back: for files, other processes and other programs of the same version. Of
// the bytes nothing is promised but that. state_from_bytes() throws std::invalid_argument, with the reason,
// for bytes that are not one whole State; whether it is of a given model Simulation::restore() tells.
std::string to_bytes(const State& state);
State state_from_bytes(std::string_view bytes);

}  // namespace trammel
