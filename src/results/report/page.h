// The pages, each one self-contained file of HTML, built from viewer/ and kept in the program. Empty where
// the program was built without them (no Node.js on the building machine).
#pragma once

#include <string_view>

namespace trammel::results {

std::string_view live_page();
// Its script and style by their hashes, as a Content-Security-Policy names them.
std::string_view live_page_policy();
// With __TRAMMEL_TITLE__ and __TRAMMEL_RUN__ where the report writes its own.
std::string_view report_page();

}  // namespace trammel::results
