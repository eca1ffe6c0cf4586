// Files that commands write beside the results of a run. All throw results::WriteError.
#pragma once

#include <filesystem>
#include <string>

#include "trammel/trajectory.h"

namespace trammel::app {

// Under its final name when it is complete.
void write_text(const std::filesystem::path& path, const std::string& text);
// Before long work, not after it.
void require_writable(const std::filesystem::path& path);
// results.csv in a folder, which is made if it is not there.
void write_table(const std::filesystem::path& folder, const Trajectory& table);

}  // namespace trammel::app
