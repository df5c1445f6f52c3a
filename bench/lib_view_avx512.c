/* lib_view_avx512.c - the view in a file compiled for AVX-512 (bench/CMakeLists.txt). */
#include "lib_view.h"

#if defined(__AVX512DQ__)
#define VIEW_LOOPS view_loops_avx512
#define VIEW_NAME "avx512 view"
#include "lib_view.inc"
#endif
