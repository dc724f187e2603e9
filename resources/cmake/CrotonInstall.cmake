# Where things land when installed: one folder of Croton's own with the same inside as build/ (bin, lib, python, samples), so that
# each part finds the others in the same way, and links to it from where a system looks. In a wheel (SKBUILD) that folder lies inside of
# the package croton, which then is the one part that is not in it.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME core)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/links/python")
if(SKBUILD)
    set(CROTON_HOME "croton/_home")
    set(CROTON_PACKAGE "croton")
    set(CROTON_PYTHON_RPATH "$ORIGIN/_home/lib")
    set(CROTON_SHARE "${SKBUILD_DATA_DIR}/share")
else()
    set(CROTON_HOME "lib/croton")
    set(CROTON_PACKAGE "${CROTON_HOME}/python/croton")
    # From the package's own place, and from the link to it among a system's packages.
    set(CROTON_PYTHON_RPATH "$ORIGIN/../../lib:$ORIGIN/../../../croton/lib")
    set(CROTON_SHARE "${CMAKE_INSTALL_DATADIR}")
endif()

# croton_install_program(target component): the program in Croton's folder, a link to it on the PATH.
function(croton_install_program target component)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
    install(TARGETS ${target} RUNTIME DESTINATION ${CROTON_HOME}/bin COMPONENT ${component})
    if(SKBUILD)
        return()
    endif()
    get_target_property(name ${target} OUTPUT_NAME)
    if(NOT name)
        set(name ${target})
    endif()
    file(CREATE_LINK "../${CROTON_HOME}/bin/${name}" "${PROJECT_BINARY_DIR}/links/${name}" SYMBOLIC)
    install(FILES "${PROJECT_BINARY_DIR}/links/${name}" DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
endfunction()

function(croton_install_library target)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS ${target} LIBRARY DESTINATION ${CROTON_HOME}/lib)
endfunction()
