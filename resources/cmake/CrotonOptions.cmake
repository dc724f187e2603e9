# Optional parts: each is ON when what it needs is found, and can be switched off by hand.
# A part that is off is a capability with a reason: croton_feature_summary() prints it. What was not asked for follows the packages
# that are there now, not those of the first configuration.

set(CROTON_FEATURES "" CACHE INTERNAL "")

macro(croton_feature name found reason)
    set(CROTON_${name} AUTO CACHE STRING "Build the part ${name}: ON, OFF, or AUTO (where its packages are)")
    if(CROTON_${name} STREQUAL "AUTO")
        set(CROTON_${name} ${found})
    elseif(CROTON_${name} AND NOT ${found})
        message(STATUS "CROTON_${name} is ON but ${reason}")
        set(CROTON_${name} OFF)
    endif()
    if(CROTON_${name})
        list(APPEND CROTON_FEATURES "${name}: yes")
    elseif(${found})
        list(APPEND CROTON_FEATURES "${name}: no (switched off by CROTON_${name})")
    else()
        list(APPEND CROTON_FEATURES "${name}: no (${reason})")
    endif()
endmacro()

function(croton_feature_summary)
    message(STATUS "Croton parts:")
    foreach(line IN LISTS CROTON_FEATURES)
        message(STATUS "  ${line}")
    endforeach()
endfunction()

find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)

# OpenBLAS is linked in, as a copy that no setting for another one reaches. The builds with threads would take 60 KB of each thread's
# own memory for what is never called.
find_file(CROTON_OPENBLAS_ARCHIVE libopenblas.a PATHS "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial" NO_DEFAULT_PATH)
find_path(CROTON_BLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-serial openblas)
if(NOT CROTON_OPENBLAS_ARCHIVE OR NOT CROTON_BLAS_INCLUDE)
    message(FATAL_ERROR "The static OpenBLAS without threads is missing: install libopenblas-serial-dev, or name it (CROTON_OPENBLAS_ARCHIVE, CROTON_BLAS_INCLUDE)")
endif()

find_package(SQLite3 REQUIRED)
find_package(ZLIB QUIET) # without it captured arrays are kept as they are

find_package(Qt6 QUIET COMPONENTS Core Gui Widgets Svg OPTIONAL_COMPONENTS Test)
if(Qt6_FOUND)
    set(_croton_qt ON)
else()
    set(_croton_qt OFF)
endif()
croton_feature(STUDIO ${_croton_qt} "Qt 6 is missing: install qt6-base-dev and qt6-svg-dev")

# The interpreter must have NumPy. The system's own comes first: its headers, pybind11 and pytest are packages of the system, and those of
# another python3 on the PATH (conda, pyenv, a virtual environment) may be absent or too new for them. CROTON_PYTHON chooses another.
set(_croton_python OFF)
if(SKBUILD)
    set(CROTON_PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
endif()
if(NOT CROTON_PYTHON_EXECUTABLE)
    foreach(candidate IN ITEMS "$ENV{CROTON_PYTHON}" /usr/bin/python3 python3)
        if(candidate STREQUAL "")
            continue()
        endif()
        execute_process(COMMAND ${candidate} -c "import numpy, sys; print(sys.executable)"
            OUTPUT_VARIABLE _croton_exe RESULT_VARIABLE _croton_rc ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(_croton_rc EQUAL 0)
            set(CROTON_PYTHON_EXECUTABLE "${_croton_exe}" CACHE FILEPATH "Python with NumPy")
            break()
        endif()
    endforeach()
endif()
if(CROTON_PYTHON_EXECUTABLE)
    set(Python3_EXECUTABLE "${CROTON_PYTHON_EXECUTABLE}")
    find_package(Python3 QUIET COMPONENTS Interpreter Development.Module NumPy)
    find_package(pybind11 QUIET)
    if(Python3_Development.Module_FOUND AND Python3_NumPy_FOUND AND pybind11_FOUND)
        set(_croton_python ON)
    endif()
endif()
croton_feature(PYTHON ${_croton_python} "python3-dev, python3-numpy or pybind11-dev is missing")

find_package(GTest QUIET)
if(GTest_FOUND)
    set(_croton_tests ON)
else()
    set(_croton_tests OFF)
endif()
croton_feature(TESTS ${_croton_tests} "GoogleTest is missing: install libgtest-dev")

find_package(Protobuf QUIET)
find_package(ONNX QUIET)
if(Protobuf_FOUND AND TARGET onnx_proto)
    set(_croton_onnx ON)
else()
    set(_croton_onnx OFF)
endif()
croton_feature(ONNX ${_croton_onnx} "libonnx-dev or libprotobuf-dev is missing: models in ONNX's format are not read")

find_path(CROTON_GRAPHVIZ_INCLUDE graphviz/gvc.h)
find_library(CROTON_GVC_LIBRARY gvc)
find_library(CROTON_CGRAPH_LIBRARY cgraph)
if(CROTON_GRAPHVIZ_INCLUDE AND CROTON_GVC_LIBRARY AND CROTON_CGRAPH_LIBRARY)
    set(_croton_graphviz ON)
else()
    set(_croton_graphviz OFF)
endif()
croton_feature(GRAPHVIZ ${_croton_graphviz} "libgraphviz-dev is missing; the own layout is used")

# Several files of a folder at a time: what they share is read and compiled once, and a build takes half as long. Whoever works
# on a file waits less without.
option(CROTON_UNITY "Compile many files of a folder as one" ON)

# A newer compiler warns of more, which is nothing that keeps a user from building.
option(CROTON_WERROR "Warnings are errors (.ci/run)" OFF)
if(CROTON_WERROR)
    add_compile_options(-Werror)
endif()

option(CROTON_ASAN "Address and undefined-behaviour sanitizers" OFF)
if(CROTON_ASAN)
    add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=address,undefined)
endif()
# The interpreter is not built with the sanitizer: its library has to be there before everything else.
set(CROTON_PRELOAD "")
if(CROTON_ASAN)
    foreach(library IN ITEMS libasan.so libstdc++.so)
        execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(APPEND CROTON_PRELOAD "${path} ")
    endforeach()
    set(CROTON_PRELOAD "LD_PRELOAD=${CROTON_PRELOAD};ASAN_OPTIONS=detect_leaks=0:handle_segv=0:allocator_may_return_null=1")
endif()
option(CROTON_TSAN "Thread sanitizer" OFF)
if(CROTON_TSAN)
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
    add_link_options(-fsanitize=thread)
endif()

# Messages name a file by its place in the project, wherever that was built.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

# ccache takes precompiled headers only with these two words and -fpch-preprocess.
find_program(CROTON_CCACHE ccache)
if(CROTON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CROTON_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${CROTON_CCACHE})
endif()
