#include "verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace trammel::bench {
namespace {

constexpr double kOverYardstick = 2;
constexpr double kLeadEngineering = 5, kLeadPrecise = 20;
constexpr double kExponent = 1.05;
constexpr double kSameMemory = 1.1;  // of the longest chain over that of a hundred bodies
constexpr double kEulerStep = 300;   // µs, of a thousand bodies
constexpr double kStart = 500;       // ms, of a thousand bodies
constexpr const char* kTrammel = "Trammel";

using Test = std::function<bool(const Row&)>;

const Row* find(const std::vector<Row>& rows, const Test& wanted) {
  const auto found = std::find_if(rows.begin(), rows.end(), wanted);
  return found == rows.end() ? nullptr : &*found;
}

void add_yardsticks(const std::vector<Row>& rows, std::vector<Verdict>& all) {
  for (const Row& row : rows) {
    if (row.accuracy != "step" || row.solver != kTrammel || !row.ratio_to_yardstick) continue;
    const bool counted = row.instructions_per_step.has_value();
    all.push_back(
        {fmt::format("{}: at most {} × a kernel written by hand, per step", row.problem, kOverYardstick),
         fmt::format("{:.2f} × its {}", *row.ratio_to_yardstick, counted ? "instructions" : "time"),
         *row.ratio_to_yardstick <= kOverYardstick});
  }
}

// The fastest peer that meets the accuracy beside that row, and what the others were allowed to take at
// least.
struct Peers {
  const Row* best = nullptr;
  double allowed = INFINITY;  // ms per simulated second
  bool any = false;
};

Peers peers_beside(const Row& row, const std::vector<Row>& rows) {
  Peers peers;
  for (const Row& r : rows) {
    if (!r.is_peer || r.problem != row.problem || r.accuracy != row.accuracy) continue;
    peers.any = true;
    if (!r.met())
      peers.allowed = std::min(peers.allowed, r.given_up_ms.value_or(0));
    else if (!peers.best || *r.ms_per_simulated_second < *peers.best->ms_per_simulated_second)
      peers.best = &r;
  }
  return peers;
}

// A peer that does not meet the accuracy though it was given the time is behind.
void judge_lead(const Row& row, const Peers& peers, double lead, Verdict& v) {
  const double ours = *row.ms_per_simulated_second;
  if (peers.best) {
    const double ratio = *peers.best->ms_per_simulated_second / ours;
    v.measured = fmt::format("{:.1f} times ({:.3g} ms/s, {} {:.3g})", ratio, ours, peers.best->solver,
                             *peers.best->ms_per_simulated_second);
    v.reached = ratio >= lead;
  } else {
    const double ratio = peers.allowed / ours;
    v.measured = fmt::format("{:.3g} ms/s; no peer meets the accuracy in {:.1f} times that", ours, ratio);
    v.reached = ratio >= lead;
  }
}

void add_leads(const std::vector<Row>& rows, std::vector<Verdict>& all) {
  for (const Row& row : rows) {
    const bool precise = row.accuracy == "precise";
    if (row.solver != kTrammel || (!precise && row.accuracy != "engineering")) continue;
    const Peers peers = peers_beside(row, rows);
    if (!peers.any) continue;
    const double lead = precise ? kLeadPrecise : kLeadEngineering;
    Verdict v{fmt::format("{}, {}: {} times faster than the best peer", row.problem, row.accuracy, lead), "",
              false};
    if (row.met())
      judge_lead(row, peers, lead, v);
    else
      v.measured = "Trammel does not meet the accuracy: " + row.note;
    all.push_back(std::move(v));
  }
}

void add_exponents(const std::vector<Row>& rows, std::vector<Verdict>& all) {
  for (const Row& row : rows) {
    if (row.solver != kTrammel || !row.exponent) continue;
    const auto add = [&](const char* cost, const std::optional<double>& exponent) {
      if (exponent)
        all.push_back({fmt::format("{}, {}: exponent of the growth of {} at most {}", row.problem, row.rule,
                                   cost, kExponent),
                       fmt::format("{:.3f}", *exponent), *exponent <= kExponent});
    };
    add("time", row.exponent);
    add("instructions", row.instruction_exponent);
  }
}

void add_memory(const std::vector<Row>& rows, std::vector<Verdict>& all) {
  for (const Row& longest : rows) {
    if (longest.solver != kTrammel || longest.problem != "chain-10000" || !longest.bytes_per_body) continue;
    const Row* shorter = find(rows, [&](const Row& r) {
      return r.solver == kTrammel && r.problem == "chain-100" && r.rule == longest.rule && r.bytes_per_body;
    });
    if (!shorter) continue;
    all.push_back({fmt::format("chain, {}: memory per body is constant", longest.rule),
                   fmt::format("{:.0f} bytes of 100 bodies, {:.0f} of 10000", *shorter->bytes_per_body,
                               *longest.bytes_per_body),
                   *longest.bytes_per_body <= kSameMemory * *shorter->bytes_per_body});
  }
}

void add_thousand_bodies(const std::vector<Row>& rows, std::vector<Verdict>& all) {
  for (const Row& row : rows) {
    if (row.solver != kTrammel || row.problem != "chain-1000" || !row.met()) continue;
    if (row.rule.ends_with("semi-implicit-euler"))
      all.push_back({fmt::format("1000 bodies in relative coordinates: semi-implicit Euler step below {} µs",
                                 kEulerStep),
                     fmt::format("{:.0f} µs", *row.us_per_step), *row.us_per_step < kEulerStep});
    if (row.start_ms)
      all.push_back(
          {fmt::format("1000 bodies, {}: read and compiled well under a second, {} ms", row.rule, kStart),
           fmt::format("{:.0f} ms", *row.start_ms), *row.start_ms < kStart});
  }
}

}  // namespace

std::vector<Verdict> verdicts(const std::vector<Row>& rows) {
  std::vector<Verdict> all;
  add_yardsticks(rows, all);
  add_leads(rows, all);
  add_exponents(rows, all);
  add_memory(rows, all);
  add_thousand_bodies(rows, all);
  return all;
}

}  // namespace trammel::bench
