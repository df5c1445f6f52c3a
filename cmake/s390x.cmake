set(TAMIS_CROSS s390x)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
