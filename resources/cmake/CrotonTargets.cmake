# Where things land, and the one way to declare a folder of the house.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

add_library(croton_flags INTERFACE)
target_include_directories(croton_flags INTERFACE "${PROJECT_SOURCE_DIR}")
# The last four are wrong about the standard library's own code, the more so where it comes from a precompiled header.
target_compile_options(croton_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers -Wno-restrict
    -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
# The compiler tidies its own memory from here on, in KiB: at its own default that is a twentieth of a build.
target_compile_options(croton_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)

# Parsing the headers of Qt, GoogleTest and the standard library is most of the work of a small file: it is done once for
# each kind of target, by a target that only owns the precompiled header. All of a kind share its flags and definitions.
function(croton_header_owner name)
    cmake_parse_arguments(ARG "PROGRAM;LIGHT;HOT" "" "LIBS;DEFINITIONS;HEADERS" ${ARGN})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp" CONTENT "int main() {}\n")
    if(ARG_PROGRAM) # -fPIE and -fPIC do not share a header
        add_executable(${name} EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/${name}.cpp")
        target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
    else()
        add_library(${name} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/${name}.cpp")
        if(ARG_LIGHT)
            croton_light(${name})
        elseif(ARG_HOT)
            croton_hot(${name})
        endif()
    endif()
    target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
    target_compile_options(${name} PRIVATE -fpch-preprocess)
    target_link_libraries(${name} PRIVATE croton_flags ${ARG_LIBS})
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

function(croton_use_headers name owner)
    target_compile_options(${name} PRIVATE -fpch-preprocess)
    target_precompile_headers(${name} REUSE_FROM ${owner})
endfunction()

# How much the compiler does is most of the time of a build. Between the two ends stands what is left as it is (-O2).
# croton_light(target): code that waits for people and files; optimizing it costs a fifth of the build and gains nothing.
function(croton_light name)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# croton_hot(target): loops over elements.
function(croton_hot name)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# Files of another target that are worth optimizing. They do without its precompiled header: the compiler does not bear
# one that was made at another level.
function(croton_hot_sources)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endfunction()

set(CROTON_STANDARD_HEADERS <algorithm> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <unordered_map> <unordered_set> <vector>)
croton_header_owner(croton_light_headers LIGHT HEADERS ${CROTON_STANDARD_HEADERS})
croton_header_owner(croton_standard_headers HEADERS ${CROTON_STANDARD_HEADERS})
croton_header_owner(croton_hot_headers HOT HEADERS ${CROTON_STANDARD_HEADERS})

# croton_objects(engine_graph [LIGHT|HOT] a.cpp b.cpp): an OBJECT library, so that nothing a file registers can vanish at link time.
function(croton_objects name)
    cmake_parse_arguments(ARG "LIGHT;HOT" "" "" ${ARGN})
    add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PUBLIC croton_flags)
    if(ARG_LIGHT)
        croton_light(${name})
        set(headers croton_light_headers)
    elseif(ARG_HOT)
        croton_hot(${name})
        set(headers croton_hot_headers)
    else()
        set(headers croton_standard_headers)
    endif()
    if(name MATCHES "^(engine|profiler|croton_record)")
        croton_use_headers(${name} ${headers})
    endif()
endfunction()

set(CROTON_QT_DEFINITIONS QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII)
set(CROTON_QT_HEADERS <QApplication> <QCheckBox> <QFileInfo> <QHash> <QHeaderView> <QLabel> <QMenu> <QMouseEvent>
    <QPainter> <QPainterPath> <QPushButton> <QRegularExpression> <QStyledItemDelegate> <QVBoxLayout> <memory>
    <optional> <string> <unordered_map> <vector>)

if(CROTON_TESTS)
    croton_header_owner(croton_gtest_headers PROGRAM LIBS GTest::gtest_main
        HEADERS <gtest/gtest.h> <functional> <map> <memory> <optional> <sstream> <string> <vector>)
endif()
if(CROTON_STUDIO)
    croton_header_owner(croton_qt_headers LIGHT LIBS Qt6::Widgets Qt6::Svg DEFINITIONS ${CROTON_QT_DEFINITIONS}
        HEADERS ${CROTON_QT_HEADERS})
endif()

# croton_test(engine_graph_test LIBS croton SOURCES a_test.cpp): a GoogleTest program under ctest.
function(croton_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;ENV" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE croton_flags ${ARG_LIBS} GTest::gtest_main)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
    if(NOT "croton_views" IN_LIST ARG_LIBS) # Qt asks for -fPIC
        croton_use_headers(${name} croton_gtest_headers)
    endif()
    add_test(NAME ${name} COMMAND ${name})
    # Kernels of tests do not end up in the user's cache.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "CROTON_CACHE_DIR=${PROJECT_BINARY_DIR}/kernel-cache;${ARG_ENV}")
    # What it computes may depend on the processor: tests/run has it run as others, too.
    if(name MATCHES "^engine_(codegen|compile|device|gradient|ops|rewrite|runtime|scalar)_")
        set_tests_properties(${name} PROPERTIES LABELS numeric)
    endif()
endfunction()

# Qt6::Test defines a macro with the folder of each test, which no two could share a precompiled header with.
if(CROTON_TESTS AND CROTON_STUDIO AND TARGET Qt6::Test)
    add_library(croton_qt_test_library INTERFACE)
    target_include_directories(croton_qt_test_library INTERFACE $<TARGET_PROPERTY:Qt6::Test,INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(croton_qt_test_library INTERFACE $<TARGET_FILE:Qt6::Test>)
    croton_header_owner(croton_qt_test_headers PROGRAM LIBS Qt6::Widgets Qt6::Svg croton_qt_test_library
        DEFINITIONS ${CROTON_QT_DEFINITIONS} HEADERS <QSignalSpy> <QTest> ${CROTON_QT_HEADERS})
endif()

# croton_qt_test(views_common_test SOURCES a_test.cpp): a QtTest program, one class with QTEST_MAIN per program, offscreen.
function(croton_qt_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(${name} PRIVATE croton_flags croton_views ${ARG_LIBS} croton_qt_test_library)
    target_compile_definitions(${name} PRIVATE ${CROTON_QT_DEFINITIONS})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
    croton_use_headers(${name} croton_qt_test_headers)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_RUNTIME_DIR=${CMAKE_CURRENT_BINARY_DIR};LC_ALL=C.UTF-8")
endfunction()

# These read CROTON_REAL_SESSION, _NETWORK, _LARGE and _CALLS, which the engine writes while building (tests/profiler/record).
function(croton_on_real_session)
    foreach(name IN LISTS ARGN)
        add_dependencies(${name} croton_real_session)
        target_compile_definitions(${name} PRIVATE CROTON_REAL_SESSION="${PROJECT_BINARY_DIR}/real_session.croton"
            CROTON_REAL_NETWORK="${PROJECT_BINARY_DIR}/real_network.croton"
            CROTON_REAL_CALLS="${PROJECT_BINARY_DIR}/real_calls.croton"
            CROTON_REAL_LARGE="${PROJECT_BINARY_DIR}/real_large.croton")
    endforeach()
endfunction()

# These read CROTON_TRIED_SESSION, a recording with captured calls of which croton ablate and croton along stand in it (tests/profiler/replay).
function(croton_on_tried_session)
    foreach(name IN LISTS ARGN)
        add_dependencies(${name} croton_tried_session)
        target_compile_definitions(${name} PRIVATE CROTON_TRIED_SESSION="${PROJECT_BINARY_DIR}/tried.croton")
    endforeach()
endfunction()

# Tests marked `timing` depend on what else the machine does: they are an entry of their own, which is run alone and prints its figures.
# One that is over its bound (tests/conftest.py) does not fail.
function(croton_pytest name file)
    cmake_parse_arguments(ARG "" "TIMEOUT;LABELS" "ENVIRONMENT;OPTIONS" ${ARGN})
    set(pytest "${CROTON_PYTHON_EXECUTABLE}" -m pytest -q -rx -p no:cacheprovider -c "${PROJECT_SOURCE_DIR}/tests/pytest.ini" ${ARG_OPTIONS} "${file}")
    set(limit "")
    if(ARG_TIMEOUT)
        set(limit TIMEOUT ${ARG_TIMEOUT})
    endif()
    add_test(NAME ${name} COMMAND ${pytest} -m "not timing")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${ARG_ENVIRONMENT}" ${limit} LABELS "${ARG_LABELS}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}") # it is read now
    file(STRINGS "${file}" timed REGEX "pytest\\.mark\\.timing" LIMIT_COUNT 1)
    if(timed)
        add_test(NAME ${name}_timing COMMAND ${pytest} -m timing -s)
        set_tests_properties(${name}_timing PROPERTIES ENVIRONMENT "${ARG_ENVIRONMENT}" ${limit} LABELS "no-asan;timing" RUN_SERIAL ON)
    endif()
endfunction()
