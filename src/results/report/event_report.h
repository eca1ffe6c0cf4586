// The events of a run: impacts, releases, contacts that slip, lift or grip, jumps, and what ended it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trammel/run.h"

namespace trammel::results {

std::string to_string(Event::Kind kind);

nlohmann::ordered_json events_json(const std::vector<Event>& events);

// "3 impacts, 1 rest, the last at t = 2.1 s". `ended`: the last of them ended the run.
std::string events_text(const std::vector<Event>& events, bool ended);

// "contact 'roll' would slip at t = 1 s, …": the first time that a contact is lost; empty: none is.
std::string lost_contact_text(const std::vector<Event>& events);

}  // namespace trammel::results
