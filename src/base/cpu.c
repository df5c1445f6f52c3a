/* cpu.c - see cpu.h. The compiler's own detection also asks whether the
 * operating system saves the wide registers.                                */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* sched_getaffinity */
#endif
#include "base/cpu.h"

#include <sched.h>
#include <unistd.h>

bool tms_cpu_has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

bool tms_cpu_has_bmi2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

bool tms_cpu_has_avx512(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

bool tms_cpu_has_vbmi(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vbmi");
#else
    return false;
#endif
}

unsigned tms_cpu_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
