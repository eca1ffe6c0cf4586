// LongList: a vector that a step of thousands of bodies walks through from end to end.
//
// Where it is long it asks for pages of 2 MiB: with pages of 4 KiB every one of them is looked up anew in
// each pass, and the processor fetches nothing ahead across its end.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace trammel {

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    if (!is_long(count)) return static_cast<T*>(::operator new(count * sizeof(T)));
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    // Whole pages, so that nothing else shares the last one.
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* list = std::aligned_alloc(kPage, bytes);
    if (!list) throw std::bad_alloc();
#ifdef __linux__
    // Advice: a system that has no such pages to give goes on with small ones.
    (void)madvise(list, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(list);
  }
  void deallocate(T* list, std::size_t count) {
    if (is_long(count))
      std::free(list);
    else
      ::operator delete(list);
  }
  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  // Half a page: less would waste more than it holds.
  static bool is_long(std::size_t count) { return count >= kPage / 2 / sizeof(T); }
};

template <class T>
using LongList = std::vector<T, LargePages<T>>;

}  // namespace trammel
