// Where the sources are: tests, campaigns and benchmarks read models and reference figures from there.
#pragma once

namespace trammel {

extern const char* const kSourceDir;

}  // namespace trammel
