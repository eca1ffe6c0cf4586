# What `make install` leaves: the program with its manual pages and completion, the libraries, their headers, a package for CMake and pkg-config; the
# models, the JSON Schema of model files and the documents.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries trammel_core trammel_model)
set(private_headers)
if(TRAMMEL_PROGRAM)
  list(APPEND libraries trammel_threads trammel_results trammel_sweep trammel_live)
  install(TARGETS trammel)
else()
  set(private_headers PATTERN thread_pool.h EXCLUDE PATTERN results.h EXCLUDE PATTERN live.h EXCLUDE PATTERN sweep.h EXCLUDE PATTERN fit.h EXCLUDE)
endif()
add_custom_target(libraries DEPENDS ${libraries})
if(TRAMMEL_PROGRAM)
  # Manual pages and completion, made by the program (apps/trammel); where shells of Debian look for it.
  add_dependencies(libraries manual)
  set(made ${PROJECT_BINARY_DIR}/share)
  install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${made}/completion/trammel DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${made}/completion/_trammel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${made}/completion/trammel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

foreach(library ${libraries})
  string(REPLACE trammel_ "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${libraries} EXPORT TrammelTargets)
install(DIRECTORY include/trammel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h ${private_headers})

install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/trammel FILES_MATCHING PATTERN *.yaml)
install(FILES docs/trammel.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/trammel/schema)
# The documents keep their places relative to each other, so that their links hold.
set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/trammel)
install(FILES README.md CONTRIBUTING.md CHANGELOG.md LICENSE DESTINATION ${documents})
install(FILES bench/README.md DESTINATION ${documents}/bench)
install(DIRECTORY docs examples DESTINATION ${documents})
install(CODE "file(CREATE_LINK ../../trammel/models \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${documents}/models SYMBOLIC)")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Trammel)
install(EXPORT TrammelTargets NAMESPACE Trammel:: DESTINATION ${package})
configure_package_config_file(cmake/TrammelConfig.cmake.in TrammelConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(TrammelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TrammelConfig.cmake ${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake
  DESTINATION ${package})

# NAME.pc, for builds without CMake.
function(trammel_pkg_config name description requires libs)
  # from the folder of the .pc file to the prefix, so that the package may be moved
  string(REGEX REPLACE "[^/]+" ".." up ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(up "\${pcfiledir}/${up}")
  configure_file(cmake/trammel.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
get_target_property(solvers trammel_core INTERFACE_LINK_LIBRARIES)
list(FILTER solvers INCLUDE REGEX "^/.*\\.(so|a)$")
list(JOIN solvers " " solvers)
trammel_pkg_config(trammel "simulates constrained mechanical systems" "eigen3 fmt yaml-cpp tinyxml2"
  "-ltrammel_model -ltrammel_core ${solvers}")
if(TRAMMEL_PROGRAM)
  trammel_pkg_config(trammel-results "results of Trammel: HDF5, CSV, summaries" "trammel hdf5-serial"
    "-ltrammel_results")
  trammel_pkg_config(trammel-sweep "Trammel: many runs of one model" "trammel-results"
    "-ltrammel_sweep -ltrammel_threads ${NLOPT_LIBRARY} -pthread")
  trammel_pkg_config(trammel-live "Trammel: editing a running simulation" "trammel-results"
    "-ltrammel_live -ltrammel_threads -pthread")
endif()
