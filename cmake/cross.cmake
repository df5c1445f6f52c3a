# Cross-building for Linux on TAMIS_CROSS with Debian's compiler, and running the
# result under qemu-user. `./dev test --long` lays the libraries the tests need
# into build/cross/<machine>.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TAMIS_CROSS})
set(CMAKE_LIBRARY_ARCHITECTURE ${TAMIS_CROSS}-linux-gnu)
set(CMAKE_C_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${TAMIS_CROSS} -L /usr/${CMAKE_LIBRARY_ARCHITECTURE})

cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/cross/${TAMIS_CROSS}")
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Headers that differ by machine (zconf.h).
set(CMAKE_C_FLAGS_INIT "-isystem \"${root}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}\"")
