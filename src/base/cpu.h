/* cpu.h - which instruction sets this processor and system offer.           */
#ifndef TMS_BASE_CPU_H
#define TMS_BASE_CPU_H

#include <stdbool.h>

/* Found once, by any thread; cheap afterwards. */
bool tms_cpu_has_avx2(void);
bool tms_cpu_has_bmi2(void);   /* and BMI1 */
bool tms_cpu_has_avx512(void); /* F, DQ, BW and VL together */
bool tms_cpu_has_vbmi(void);   /* AVX-512 that permutes bytes */

/* Processors this process may use, at least 1. */
unsigned tms_cpu_count(void);

#endif
