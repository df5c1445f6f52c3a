/* bench_report.h - what tamis bench prints: a block for each filter, or JSON.  */
#ifndef CLI_BENCH_REPORT_H
#define CLI_BENCH_REPORT_H

#include "measure/memory.h"
#include "measure/subject.h"

/* One filter, measured, and what the memory does with random lines of a buffer
 * of its size. */
typedef struct cli_bench_result {
    subject subject;
    memory_grid alone, together; /* one thread, all threads */
    unsigned threads;
    uint64_t line_bytes; /* of that buffer */
} cli_bench_result;

/* The machine and the library; JSON begins an object and its array of results. */
void cli_bench_begin(const bench_machine *machine, double rate, bool json);
void cli_bench_result_print(const cli_bench_result *result);
void cli_bench_result_json(const cli_bench_result *result);
void cli_bench_end(bool json);

#endif
