// What a controller throws to end a run where it stands: rows computed so far are kept, and nothing is
// computed with inputs that it has not set.
#pragma once

namespace trammel::simulation {

struct StopRun {};

}  // namespace trammel::simulation
