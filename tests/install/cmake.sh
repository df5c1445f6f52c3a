#!/bin/sh
# cmake.sh PREFIX WORK shared|static - find_package(tamis) from a foreign project.
# shellcheck source=begin.sh
. "$(dirname "$0")/begin.sh"

cmake -S "$consumer" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DVARIANT="$3" \
    -DWANTED_VERSION="$(pkg-config --modversion tamis)"
cmake --build "$work"
"$work/consumer_c"
"$work/consumer_cpp"
