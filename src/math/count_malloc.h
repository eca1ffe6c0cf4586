// Counts allocations, for tests: malloc itself, since Eigen and C libraries do not pass through operator new.
// Needs glibc, and a malloc that no sanitizer has taken over; where it cannot count, TRAMMEL_COUNTS_MALLOC is
// not defined. The functions are weak, so that several sources of a test program may include it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRAMMEL_COUNTS_MALLOC 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef TRAMMEL_COUNTS_MALLOC
#endif
#endif

inline std::atomic<long> allocations{0};

#ifdef TRAMMEL_COUNTS_MALLOC
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier)

[[gnu::weak]] void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
[[gnu::weak]] void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
[[gnu::weak]] void* realloc(void* old, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(old, size);
}
}
#endif
