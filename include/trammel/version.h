// The version of these headers. CMakeLists.txt reads it from here.
//
// Before 1.0 a new minor version may change the interface; patches never do.
#pragma once

#define TRAMMEL_VERSION_MAJOR 0
#define TRAMMEL_VERSION_MINOR 1
#define TRAMMEL_VERSION_PATCH 0
#define TRAMMEL_VERSION "0.1.0"
