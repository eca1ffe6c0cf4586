#include "results/report/event_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel::results {

std::string to_string(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::impact:
      return "impact";
    case Event::Kind::rest:
      return "rest";
    case Event::Kind::release:
      return "release";
    case Event::Kind::slip:
      return "slip";
    case Event::Kind::lift:
      return "lift";
    case Event::Kind::grip:
      return "grip";
    case Event::Kind::stop:
      return "stop";
    case Event::Kind::jump:
      return "jump";
    case Event::Kind::crossing:
      return "crossing";
    case Event::Kind::stick:
      return "stick";
    case Event::Kind::slide:
      return "slide";
  }
  return "";
}

nlohmann::ordered_json events_json(const std::vector<Event>& events) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Event& e : events) {
    nlohmann::ordered_json j = {{"t", e.t}, {"kind", to_string(e.kind)}, {"name", e.name}};
    const bool struck = e.kind == Event::Kind::stick && e.impulse != 0;
    if (e.kind == Event::Kind::impact || e.kind == Event::Kind::rest || e.kind == Event::Kind::jump ||
        struck) {
      j["speed_before"] = e.before;
      j["speed_after"] = e.after;
      j["impulse"] = e.impulse;
      j["energy"] = e.energy;
    } else if (e.kind == Event::Kind::slip || e.kind == Event::Kind::lift || e.kind == Event::Kind::grip) {
      j["normal_force"] = e.before;
      j["friction_needed"] = e.after;
    } else if (e.kind == Event::Kind::crossing) {
      j["sign"] = e.after;
    }
    list.push_back(j);
  }
  return list;
}

std::string events_text(const std::vector<Event>& events, bool ended) {
  std::string text;
  for (const Event::Kind kind : {Event::Kind::impact, Event::Kind::rest, Event::Kind::release,
                                 Event::Kind::slip, Event::Kind::lift, Event::Kind::grip, Event::Kind::jump,
                                 Event::Kind::crossing, Event::Kind::stick, Event::Kind::slide}) {
    const auto n =
        std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.kind == kind; });
    if (n > 0) text += fmt::format("{} {}{}, ", n, to_string(kind), n > 1 ? "s" : "");
  }
  const Event& last = events.back();
  if (last.kind == Event::Kind::stop)
    return text + fmt::format("ended at t = {:.10g} s, where '{}' became true", last.t, last.name);
  if (ended && last.kind == Event::Kind::crossing)
    return text + fmt::format("ended at t = {:.10g} s, where '{}' changed its sign", last.t, last.name);
  if (ended)
    return text + fmt::format("ended at t = {:.10g} s, where '{}' would {}", last.t, last.name,
                              last.kind == Event::Kind::lift ? "lift off" : "slip");
  return text + fmt::format("the last at t = {:.6g} s ('{}')", last.t, last.name);
}

std::string lost_contact_text(const std::vector<Event>& events) {
  const auto lost = std::ranges::find_if(
      events, [](const Event& e) { return e.kind == Event::Kind::slip || e.kind == Event::Kind::lift; });
  if (lost == events.end()) return {};
  const bool slips = lost->kind == Event::Kind::slip;
  return fmt::format("contact '{}' would {} at t = {:.6g} s, with a normal force of {:.3g} N{}", lost->name,
                     slips ? "slip" : "lift off", lost->t, lost->before,
                     slips ? fmt::format(" and {:.3g} N of friction needed", lost->after) : "");
}

}  // namespace trammel::results
