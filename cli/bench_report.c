/* bench_report.c - see bench_report.h.                                      */
#include "bench_report.h"

#include <tamis/tamis.h>

#include "json.h"
#include "number.h"
#include "paper.h"
#include "show.h"

/* ---- the machine -------------------------------------------------------- */

static void report_machine_json(const bench_machine *machine, double rate)
{
    cli_json_begin_object(NULL);
    cli_json_text("version", tamis_version());
    cli_json_text("processor", machine->processor);
    cli_json_whole("processors", machine->processors);
    cli_json_text("caches", machine->caches);
    cli_json_text("system", machine->system);
    cli_json_text("huge_pages", machine->pages);
    cli_json_text("compiler", machine->compiler);
    cli_json_text("flags", BENCH_FLAGS);
    cli_json_text("date", machine->date);
    cli_json_real("rate_asked", rate);
    cli_json_text("unit", "ns per key");
    cli_json_begin_array("results");
}

static void report_machine(const bench_machine *machine, double rate)
{
    char asked[CLI_SHOWN];
    cli_show_rate(rate, asked, sizeof asked);
    cli_paper_print("machine   %s, %u processors\n", machine->processor, machine->processors);
    cli_paper_print("memory    %s; huge pages: %s\n", machine->caches, machine->pages);
    cli_paper_print("library   tamis %s, %s\n", tamis_version(), machine->compiler);
    cli_paper_print("filters   sized for a rate of %s\n", asked);
    cli_paper_text("\nCosts are ns a key of all threads together, the least of many short runs.\n"
                   "\"lines\" is mix over the memory's own time for a random line of that size.\n");
}

void cli_bench_begin(const bench_machine *machine, double rate, bool json)
{
    if (json)
        report_machine_json(machine, rate);
    else
        report_machine(machine, rate);
}

void cli_bench_end(bool json)
{
    if (!json) return;
    cli_json_end_array();
    cli_json_end_object();
}

/* ---- a filter in words -------------------------------------------------- */

static memory_best report_line(const cli_bench_result *result, unsigned threads, memory_verb verb)
{
    return memory_limit(threads == 1 ? &result->alone : &result->together, verb);
}

static void report_cost(const bench_samples *samples)
{
    if (samples->count)
        cli_paper_print(" %9.2f", bench_min(samples));
    else
        cli_paper_print(" %9s", "-");
}

static void report_row(const cli_bench_result *result, const row *r)
{
    const double line = report_line(result, r->threads, MEMORY_READ).ns;
    cli_paper_print("  %-8s %-12s %7u", keys_form_names[r->form], row_how(r), r->threads);
    for (unsigned verb = 0; verb < ROW_VERBS; verb++) report_cost(&r->cost[verb]);
    if (r->cost[ROW_MIX].count && line > 0)
        cli_paper_print(" %7.2f\n", bench_min(&r->cost[ROW_MIX]) / line);
    else
        cli_paper_print(" %7s\n", "-");
}

/* To add is to change a line, to ask is to read one. */
static void report_memory(const cli_bench_result *result, unsigned threads)
{
    const double read = report_line(result, threads, MEMORY_READ).ns;
    cli_paper_print("  %-21s %7u %9.2f %9.2f %9.2f %9.2f %7.2f\n", "memory: a random line", threads,
                    report_line(result, threads, MEMORY_CHANGE).ns, read, read, read, 1.0);
}

/* "9.98 bits a key, rate 0.99 %, 1.50 x log2(1/rate)" */
static void report_facts(const subject *s)
{
    char keys[CLI_SHOWN], bytes[CLI_SHOWN], rate[CLI_SHOWN];
    cli_show_whole(s->keys, keys);
    cli_show_bytes(s->bytes, bytes, sizeof bytes);
    cli_show_percent(s->rate, 3, rate);
    cli_paper_print("\n%s, %s key%s: %s, %.2f bits a key, ", s->name, keys, cli_plural(s->keys),
                    bytes, s->bits_per_key);
    if (s->overhead > 0)
        cli_paper_print("rate %s, %.2f x log2(1/rate)\n", rate, s->overhead);
    else
        cli_paper_text("no false positive seen\n");
}

void cli_bench_result_print(const cli_bench_result *result)
{
    const subject *s = &result->subject;
    report_facts(s);
    cli_paper_print("  %-8s %-12s %7s %9s %9s %9s %9s %7s\n", "keys", "how", "threads", "add",
                    "hit", "miss", "mix", "lines");
    for (unsigned i = 0; i < s->row_count; i++) report_row(result, &s->rows[i]);
    report_memory(result, 1);
    if (result->threads > 1) report_memory(result, result->threads);
}

/* ---- a filter as JSON --------------------------------------------------- */

static void report_cost_json(const char *key, const bench_samples *samples)
{
    if (samples->count == 0) {
        cli_json_none(key);
        return;
    }
    cli_json_begin_object(key);
    cli_json_real("min", bench_min(samples));
    cli_json_real("median", bench_median(samples));
    cli_json_end_object();
}

static void report_memory_json(const cli_bench_result *result, unsigned threads)
{
    static const char *const names[MEMORY_VERBS] = {"read", "change"};
    cli_json_begin_object(NULL);
    cli_json_whole("threads", threads);
    for (unsigned verb = 0; verb < MEMORY_VERBS; verb++) {
        const memory_best best = report_line(result, threads, (memory_verb)verb);
        cli_json_begin_object(names[verb]);
        cli_json_real("min", best.ns);
        cli_json_real("median", best.median);
        cli_json_end_object();
    }
    cli_json_end_object();
}

static void report_row_json(const row *r)
{
    cli_json_begin_object(NULL);
    cli_json_text("keys", keys_form_names[r->form]);
    cli_json_text("how", row_how(r));
    cli_json_whole("threads", r->threads);
    for (unsigned verb = 0; verb < ROW_VERBS; verb++)
        report_cost_json(row_verb_names[verb], &r->cost[verb]);
    cli_json_end_object();
}

void cli_bench_result_json(const cli_bench_result *result)
{
    const subject *s = &result->subject;
    cli_json_begin_object(NULL);
    cli_json_text("kind", s->name);
    cli_json_whole("keys", s->keys);
    cli_json_whole("bytes", s->bytes);
    cli_json_real("bits_per_key", s->bits_per_key);
    cli_json_real("rate", s->rate);
    cli_json_real("overhead", s->overhead > 0 ? s->overhead : 1.0 / 0.0);
    cli_json_whole("line_bytes", result->line_bytes);
    cli_json_begin_array("lines");
    report_memory_json(result, 1);
    if (result->threads > 1) report_memory_json(result, result->threads);
    cli_json_end_array();
    cli_json_begin_array("rows");
    for (unsigned i = 0; i < s->row_count; i++) report_row_json(&s->rows[i]);
    cli_json_end_array();
    cli_json_end_object();
}
