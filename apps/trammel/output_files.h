// Files that commands write beside the results of a run. All throw results::WriteError.
#pragma once

#include <filesystem>

#include "results/files/results_file.h"

namespace trammel::app {

using results::write_text;
// Before long work, not after it.
void require_writable(const std::filesystem::path& path);
// Where it is not there yet.
void make_folder(const std::filesystem::path& folder);

}  // namespace trammel::app
