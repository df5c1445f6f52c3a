#!/bin/sh
# headers.sh PREFIX WORK - every public header compiles alone, as C and as C++,
# with all warnings: nobody has to know an order of inclusion.
# shellcheck source=begin.sh
. "$(dirname "$0")/begin.sh"

warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
for header in "$prefix"/include/tamis/*.h; do
    name=tamis/${header##*/}
    echo "$name"
    printf "#include <%s>\ntypedef int alone;\n" "$name" >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cpp"
    # shellcheck disable=SC2086 # one word per warning
    gcc -std=c11 $warnings -I"$prefix/include" -fsyntax-only "$work/alone.c"
    # shellcheck disable=SC2086
    g++ -std=c++11 $warnings -I"$prefix/include" -fsyntax-only "$work/alone.cpp"
done
