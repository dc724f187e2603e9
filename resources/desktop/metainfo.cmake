# What software centres show of the studio (AppStream). The project has no address in the web, so its name there belongs to no domain, and pictures,
# which are given as addresses only, are left out: who publishes it names theirs.
set(CROTON_APPSTREAM_ID localhost.croton.studio CACHE STRING "Name of the studio in software centres: reversed domain of who publishes it")
set(CROTON_HOMEPAGE "" CACHE STRING "Address of the project for software centres, under which its resources/screenshots lie")

set(CROTON_METAINFO_WEB "")
if(CROTON_HOMEPAGE)
    string(APPEND CROTON_METAINFO_WEB "  <url type=\"homepage\">${CROTON_HOMEPAGE}</url>\n  <screenshots>\n")
    set(_kind " type=\"default\"")
    foreach(shown IN ITEMS
        "main-light|The graph as written and as it runs, side by side"
        "steps-dark|Every rewrite as a scene: before, after, why, and where it is written"
        "profile-light|Where the time went, how good the numbers are, and what to do"
        "timeline-dark|What happened when"
        "compare-light|Two sessions at one scale")
        string(REPLACE "|" ";" shown "${shown}")
        list(GET shown 0 _picture)
        list(GET shown 1 _caption)
        string(APPEND CROTON_METAINFO_WEB "    <screenshot${_kind}>\n      <caption>${_caption}</caption>\n"
            "      <image>${CROTON_HOMEPAGE}/resources/screenshots/${_picture}.png</image>\n    </screenshot>\n")
        set(_kind "")
    endforeach()
    string(APPEND CROTON_METAINFO_WEB "  </screenshots>\n")
endif()
string(TIMESTAMP CROTON_METAINFO_DATE "%Y-%m-%d" UTC) # that of SOURCE_DATE_EPOCH where it is set
set(_metainfo "${PROJECT_BINARY_DIR}/generated/share/${CROTON_APPSTREAM_ID}.metainfo.xml")
configure_file("${CMAKE_CURRENT_LIST_DIR}/metainfo.xml.in" "${_metainfo}" @ONLY)
install(FILES "${_metainfo}" DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT studio)
