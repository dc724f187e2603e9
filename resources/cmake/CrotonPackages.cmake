# Debian packages by parts, made by `cpack --config build/CPackConfig.cmake`: croton (command and engine), python3-croton, croton-studio.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME croton)
set(CPACK_PACKAGE_CONTACT "The Croton authors <croton@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Workshop for tensor expressions")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# croton_package(component name DEPENDS … RECOMMENDS … SUGGESTS … SUMMARY … TEXT …)
macro(croton_package component name)
    cmake_parse_arguments(ARG "" "DEPENDS;RECOMMENDS;SUGGESTS;SUMMARY;TEXT" "" ${ARGN})
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${ARG_DEPENDS}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${ARG_RECOMMENDS}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${ARG_SUGGESTS}")
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_TEXT}")
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} RENAME copyright)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
endmacro()

set(CPACK_COMPONENTS_ALL "")
set(_same "croton (= ${PROJECT_VERSION})")
croton_package(core croton
    RECOMMENDS "python3-croton (= ${PROJECT_VERSION}), gcc" SUGGESTS "libdnnl2, pocl-opencl-icd, croton-studio"
    SUMMARY "Compiler and profiler for tensor expressions: command and engine"
    TEXT "Runs Theano scripts, shows every rewrite of their graphs, and says where time and memory go.")
if(CROTON_PYTHON)
    math(EXPR _next "${Python3_VERSION_MINOR} + 1") # the module is built for one Python
    croton_package(python python3-croton
        DEPENDS "${_same}, python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3 (<< ${Python3_VERSION_MAJOR}.${_next}~), python3-numpy"
        RECOMMENDS "python3-lib2to3"
        SUMMARY "Compiler and profiler for tensor expressions: Python module"
        TEXT "The module croton, and the Theano that scripts under croton run meet.")
    # What Python compiles beside the sources comes and goes with them.
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/resources/packages/postinst;${PROJECT_SOURCE_DIR}/resources/packages/prerm")
endif()
if(CROTON_STUDIO)
    croton_package(studio croton-studio
        DEPENDS "${_same}, fonts-inter, fonts-jetbrains-mono, fonts-dejavu-core, libqt6svg6"
        RECOMMENDS "python3-croton (= ${PROJECT_VERSION}), graphviz"
        SUGGESTS "novnc, openbox, tigervnc-standalone-server, tigervnc-tools"
        SUMMARY "Compiler and profiler for tensor expressions: desktop studio"
        TEXT "Graphs before and after, every rewrite between them, profiles, memory and comparisons in a window.")
endif()
include(CPack)
