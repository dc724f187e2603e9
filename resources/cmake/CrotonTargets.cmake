# Where things land, and the one way to declare a folder of the house.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

add_library(croton_flags INTERFACE)
target_include_directories(croton_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(croton_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers -Wno-restrict)

# croton_objects(engine_graph a.cpp b.cpp): an OBJECT library, so that nothing a file registers can vanish at link time.
function(croton_objects name)
    add_library(${name} OBJECT ${ARGN})
    target_link_libraries(${name} PUBLIC croton_flags)
endfunction()

# croton_test(engine_graph_test LIBS croton SOURCES a_test.cpp): a GoogleTest program under ctest.
function(croton_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;ENV" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE croton_flags ${ARG_LIBS} GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    # Kernels of tests do not end up in the user's cache.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "CROTON_CACHE_DIR=${PROJECT_BINARY_DIR}/kernel-cache;${ARG_ENV}")
endfunction()

# croton_qt_test(views_common_test SOURCES a_test.cpp): a QtTest program, one class with QTEST_MAIN per program, offscreen.
function(croton_qt_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
    find_package(Qt6 REQUIRED COMPONENTS Test)
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(${name} PRIVATE croton_flags croton_views ${ARG_LIBS} Qt6::Test)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_RUNTIME_DIR=${CMAKE_CURRENT_BINARY_DIR};LC_ALL=C.UTF-8")
endfunction()
