#!/bin/sh
# single-file.sh SOURCE WORK COMPILER [FLAG...] - the single-file build with the
# C sample of README.md: amalgamated, compiled in one command, run.
set -eu
source=$1
work=$2
shift 2

rm -rf "$work"
mkdir -p "$work"
python3 -B "$source/tools/amalgamate" "$work"
python3 -B "$source/tests/install/readme_sample.py" "$source/README.md" >"$work/installed.c"
sed 's|<tamis/[a-z_]*\.h>|"tamis.h"|' "$work/installed.c" >"$work/sample.c"

cd "$work"
"$@" -std=c11 -O2 -Wall -Wextra -Werror sample.c tamis.c -o sample -lm -lpthread
./sample

# The header is for C++ too.
printf '#include "tamis.h"\nint main() { return 0; }\n' >header.cpp
g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only header.cpp
