# begin.sh - what the scripts of this folder share. Sourced with the installed
# prefix in $1 and a folder for products in $2, which is made anew; afterwards
# $consumer holds the sources and $work/all_headers.h includes every header.
set -eu
prefix=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)
consumer=$here/consumer

rm -rf "$work"
mkdir -p "$work"
for header in "$prefix"/include/tamis/*.h; do
    echo "#include <tamis/${header##*/}>"
done >"$work/all_headers.h"

# Where the libraries are: lib, or lib/<machine> on Debian below /usr.
libdir=$(dirname "$(find "$prefix" -name libtamis.so)")
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
