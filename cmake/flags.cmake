# Flags of every target, the compiler cache, and the precompiled header.
#
# No contraction and no fast-math: a run gives the same bits again.
add_library(trammel_flags INTERFACE)
target_compile_options(trammel_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off)
# The libraries are position-independent, for Python modules and the like; nobody replaces single functions of them.
target_compile_options(trammel_flags INTERFACE -fno-semantic-interposition)
if(TRAMMEL_WERROR)
  target_compile_options(trammel_flags INTERFACE -Werror)
endif()
# g++ 12 reports overlapping and endless copies inside std::string (GCC bugs 105651, 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(trammel_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()

# The compiler collects its garbage later than it would: a fifth less processor time, for at most 0.8 GB.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(trammel_flags INTERFACE --param=ggc-min-heapsize=800000)
endif()

# The cache sees paths relative to the sources, so that another clone on this machine compiles nothing again.
# The precompiled header's own defines and times do not change what a file compiles to.
find_program(TRAMMEL_CCACHE ccache)
if(TRAMMEL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TRAMMEL_CCACHE})
endif()

# Programs are compiled as the libraries are, so that they can use the same precompiled header.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})

# One precompiled header for all: parsing Eigen and the standard library costs more than most files themselves.
option(TRAMMEL_PCH "Use a precompiled header" ON)
function(trammel_precompile target)
  if(NOT TRAMMEL_PCH)
    return()
  endif()
  if(NOT TARGET trammel_pch)
    add_library(trammel_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/trammel_pch.cpp)
    target_link_libraries(trammel_pch PRIVATE trammel_flags Eigen3::Eigen fmt::fmt)
    target_include_directories(trammel_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake)
    target_precompile_headers(trammel_pch PRIVATE <trammel_pch.h>) # without a path, for ccache
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(trammel_flags INTERFACE -fpch-preprocess) # what ccache reads
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM trammel_pch)
endfunction()
