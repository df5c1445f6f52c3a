set(TAMIS_CROSS aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
