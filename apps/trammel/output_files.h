// Files that commands write beside the results of a run. All throw results::WriteError.
#pragma once

#include <filesystem>
#include <string>

namespace trammel::app {

// Under its final name when it is complete.
void write_text(const std::filesystem::path& path, const std::string& text);
// Before long work, not after it.
void require_writable(const std::filesystem::path& path);
// Where it is not there yet.
void make_folder(const std::filesystem::path& folder);

}  // namespace trammel::app
