#!/bin/sh
# pkg-config.sh PREFIX WORK shared|static - a compiler call with pkg-config's words.
# shellcheck source=begin.sh
. "$(dirname "$0")/begin.sh"

variant=$3
case $variant in
shared) words=$(pkg-config --cflags --libs tamis) ;;
static) # the archive by its full name, because the linker prefers the shared library
    words=$(pkg-config --static --cflags --libs tamis | sed 's/-ltamis/-l:libtamis.a/') ;;
esac

# pkg-config quotes its words for the shell.
eval "set -- $words"
gcc -std=c11 -I"$work" "$consumer/consumer.c" -o "$work/consumer_c" "$@"
g++ -std=c++11 -I"$work" "$consumer/consumer.cpp" -o "$work/consumer_cpp" "$@"

if [ "$variant" = shared ]; then
    LD_LIBRARY_PATH=$libdir
    export LD_LIBRARY_PATH
elif ldd "$work/consumer_c" | grep libtamis; then
    echo "the static consumer still needs the shared library" >&2
    exit 1
fi
"$work/consumer_c"
"$work/consumer_cpp"
