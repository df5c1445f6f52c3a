/* lib_report.h - the results of bench_filters as a table and as JSON.       */
#ifndef TAMIS_BENCH_LIB_REPORT_H
#define TAMIS_BENCH_LIB_REPORT_H

#include "measure/memory.h"
#include "measure/subject.h"

enum { REPORT_SUBJECTS = 8 };

/* Everything measured for one number of keys. The limits belong to a buffer of
 * the size of the first subject's filter. */
typedef struct report_size {
    uint64_t keys, limit_bytes;
    unsigned threads;
    memory_grid alone, together; /* one thread, all threads */
    bench_samples hash[KEYS_FORMS];
    subject subjects[REPORT_SUBJECTS];
    unsigned subject_count;
} report_size;

void report_table(const report_size *size, FILE *to);

/* What the goals say (bench/README.md), for the blocked filter of this size. */
void report_goals(const report_size *size, FILE *to);

void report_json_begin(const bench_machine *machine, const char *command, FILE *to);
void report_json_size(const report_size *size, bool first, FILE *to);
void report_json_end(FILE *to);

#endif
