# The module is built from CUDA's headers alone: its libraries are opened when somebody asks for the device. RUNPATH names where they
# lie beside the headers.
find_path(CROTON_CUDA_HEADERS cuda_runtime_api.h HINTS ENV CUDA_PATH ENV CUDA_HOME
    PATHS /usr/local/cuda "${PROJECT_BINARY_DIR}/cuda/nvidia/cu13" PATH_SUFFIXES include)
set(CROTON_CUDA_PROBLEM "CUDA's headers were not found")
if(CROTON_CUDA_HEADERS)
    file(STRINGS "${CROTON_CUDA_HEADERS}/cuda_runtime_api.h" line REGEX "^#define CUDART_VERSION")
    string(REGEX MATCH "[0-9]+$" CROTON_CUDA_VERSION "${line}")
    if(CROTON_CUDA_VERSION LESS 13000 OR CROTON_CUDA_VERSION GREATER_EQUAL 14000)
        set(CROTON_CUDA_PROBLEM "${CROTON_CUDA_HEADERS} is of CUDA ${CROTON_CUDA_VERSION}, and 13 is needed")
    elseif(NOT EXISTS "${CROTON_CUDA_HEADERS}/nvrtc.h")
        set(CROTON_CUDA_PROBLEM "nvrtc.h is not in ${CROTON_CUDA_HEADERS}")
    else()
        set(CROTON_CUDA_PROBLEM "")
    endif()
endif()
if(CROTON_CUDA_PROBLEM STREQUAL "")
    add_library(croton_cuda MODULE cuda/activities.cpp cuda/api.cpp cuda/cuda_device.cpp cuda/memory.cpp cuda/module.cpp cuda/products.cpp
        cuda/program.cpp cuda/staging.cpp cuda/stream.cpp)
    target_include_directories(croton_cuda SYSTEM PRIVATE "${CROTON_CUDA_HEADERS}")
    target_link_libraries(croton_cuda PRIVATE croton croton_flags ${CMAKE_DL_LIBS})
    set_target_properties(croton_cuda PROPERTIES BUILD_RPATH "${CROTON_CUDA_HEADERS}/../lib64;${CROTON_CUDA_HEADERS}/../lib"
        INSTALL_RPATH "$ORIGIN;${CROTON_CUDA_HEADERS}/../lib64;${CROTON_CUDA_HEADERS}/../lib")
    install(TARGETS croton_cuda LIBRARY DESTINATION ${CROTON_HOME}/lib)
    target_compile_definitions(engine_device PRIVATE CROTON_HAS_CUDA)
else()
    message(STATUS "${CROTON_CUDA_PROBLEM}: no device of CUDA is built")
endif()
