/* lib_view_avx2.c - the view in a file compiled for AVX2 (bench/CMakeLists.txt). */
#include "lib_view.h"

#if defined(__AVX2__)
#define VIEW_LOOPS view_loops_avx2
#define VIEW_NAME "avx2 view"
#include "lib_view.inc"
#endif
