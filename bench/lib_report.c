/* lib_report.c - see lib_report.h.                                          */
#include "lib_report.h"

#include <string.h>

/* ---- the table ---------------------------------------------------------- */

static double report_line(const report_size *size, const row *r)
{
    return memory_limit(r->threads == 1 ? &size->alone : &size->together, MEMORY_READ).ns;
}

static void report_cost(const bench_samples *samples, FILE *to)
{
    if (samples->count == 0)
        fprintf(to, "  %14s", "-");
    else
        fprintf(to, "  %6.2f (%5.1f)", bench_min(samples), bench_median(samples));
}

static void report_ratio(const bench_samples *samples, double line, FILE *to)
{
    if (samples->count == 0)
        fprintf(to, "  %5s", "-");
    else
        fprintf(to, "  %5.2f", bench_min(samples) / line);
}

static void report_row(const report_size *size, const row *r, FILE *to)
{
    fprintf(to, "  %-8s %-12s %2u", keys_form_names[r->form], row_how(r), r->threads);
    for (unsigned verb = 0; verb < ROW_VERBS; verb++) report_cost(&r->cost[verb], to);
    report_ratio(&r->cost[ROW_ADD], report_line(size, r), to);
    report_ratio(&r->cost[ROW_MIX], report_line(size, r), to);
    fputc('\n', to);
}

static void report_limit(const char *words, memory_best best, FILE *to)
{
    fprintf(to, "  %-26s %6.2f (%5.1f) ns  %s, %u ahead\n", words, best.ns, best.median,
            memory_hint_names[best.hint], best.depth);
}

static void report_head(const report_size *size, FILE *to)
{
    char keys[32], bytes[32];
    fprintf(to, "\n== %s keys; line limits of %s ==\n", bench_short(size->keys, keys, sizeof keys),
            bench_bytes(size->limit_bytes, bytes, sizeof bytes));
    report_limit("read a line, 1 thread", memory_limit(&size->alone, MEMORY_READ), to);
    report_limit("change a line, 1 thread", memory_limit(&size->alone, MEMORY_CHANGE), to);
    if (size->threads > 1) {
        report_limit("read a line, all threads", memory_limit(&size->together, MEMORY_READ), to);
        report_limit("change a line, all threads", memory_limit(&size->together, MEMORY_CHANGE),
                     to);
    }
    for (unsigned form = KEYS_INTEGERS; form < KEYS_FORMS; form++)
        fprintf(to, "  hash alone, %-14s %6.2f (%5.1f) ns\n", keys_form_names[form],
                bench_min(&size->hash[form]), bench_median(&size->hash[form]));
}

void report_table(const report_size *size, FILE *to)
{
    char bytes[32];
    report_head(size, to);
    for (unsigned i = 0; i < size->subject_count; i++) {
        const subject *s = &size->subjects[i];
        fprintf(to, "\n%s: %s, %.2f bits/key, rate %.4f %%, %.3f x log2(1/rate)\n", s->name,
                bench_bytes(s->bytes, bytes, sizeof bytes), s->bits_per_key, 100 * s->rate,
                s->overhead);
        fprintf(to, "  %-8s %-12s %2s  %14s  %14s  %14s  %14s  %5s  %5s\n", "keys", "how", "th",
                "add", "hit", "miss", "mix", "add/l", "mix/l");
        for (unsigned r = 0; r < s->row_count; r++) report_row(size, &s->rows[r], to);
    }
    fflush(to);
}

/* ---- goals -------------------------------------------------------------- */

static const subject *report_blocked(const report_size *size)
{
    for (unsigned i = 0; i < size->subject_count; i++)
        if (strcmp(size->subjects[i].name, "blocked") == 0) return &size->subjects[i];
    return NULL;
}

static double report_least(const subject *s, row_path path, keys_form form, unsigned threads,
                           row_verb verb)
{
    double least = 0;
    for (unsigned i = 0; i < s->row_count; i++) {
        const row *r = &s->rows[i];
        if (r->path != path || r->form != form || r->threads != threads) continue;
        double ns = bench_min(&r->cost[verb]);
        if (ns > 0 && (least <= 0 || ns < least)) least = ns;
    }
    return least;
}

/* `value` in units of `unit`, which must be at most `most`. */
static void report_goal(const char *words, double value, double unit, double most, FILE *to)
{
    fprintf(to, "  %-52s %6.2f  (at most %.2f)  %s\n", words, value / unit, most,
            value / unit <= most ? "reached" : "missed");
}

static void report_goals_in_cache(const subject *s, double line, FILE *to)
{
    double ask = report_least(s, ROW_BATCH, KEYS_DIGESTS, 1, ROW_MIX);
    double view = report_least(s, ROW_VIEW, KEYS_DIGESTS, 1, ROW_MIX);
    double add = report_least(s, ROW_BATCH, KEYS_DIGESTS, 1, ROW_ADD);
    double view_add = report_least(s, ROW_VIEW, KEYS_DIGESTS, 1, ROW_ADD);
    if (view > 0 && view < ask) ask = view;
    if (view_add > 0 && view_add < add) add = view_add;
    report_goal("may_contain, batch or view, ns", ask, 1, 2.1, to);
    report_goal("add, batch or view, ns", add, 1, 2.2, to);
    fprintf(to, "  (the two in lines: %.2f and %.2f)\n", ask / line, add / line);
}

static void report_goals_far(const subject *s, double line, double hash, FILE *to)
{
    double string = report_least(s, ROW_BATCH, KEYS_STRINGS, 1, ROW_MIX);
    double singly = report_least(s, ROW_SINGLE, KEYS_STRINGS, 1, ROW_MIX);
    double shared = report_least(s, ROW_SHARED, KEYS_DIGESTS, 2, ROW_ADD);
    report_goal("may_contain, batch, in lines",
                report_least(s, ROW_BATCH, KEYS_DIGESTS, 1, ROW_MIX), line, 1.3, to);
    report_goal("add, batch, in lines", report_least(s, ROW_BATCH, KEYS_DIGESTS, 1, ROW_ADD), line,
                1.8, to);
    report_goal("strings, batch less hash, in lines", string - hash, line, 1.5, to);
    report_goal("strings, batch over one by one", string, singly, 0.25, to);
    if (shared > 0) report_goal("concurrent add, 2 threads, ns", shared, 1, 10, to);
}

static void report_goals_cuckoo(const report_size *size, double line, FILE *to)
{
    for (unsigned i = 0; i < size->subject_count; i++) {
        const subject *s = &size->subjects[i];
        char keys[32];
        if (strcmp(s->name, "cuckoo") != 0) continue;
        double ask = report_least(s, ROW_BATCH, KEYS_DIGESTS, 1, ROW_MIX);
        double build = report_least(s, ROW_BUILD, KEYS_DIGESTS, 1, ROW_ADD);
        fprintf(to, "\ngoals, %s keys, cuckoo (12 bits, fours)\n",
                bench_short(size->keys, keys, sizeof keys));
        if (size->keys <= 4000000) {
            report_goal("may_contain, batch, ns", ask, 1, 5, to);
        } else {
            report_goal("may_contain, batch, in pairs of lines", ask, 2 * line, 1.4, to);
            report_goal("build, one thread, ns", build, 1, 35, to);
        }
    }
}

void report_goals(const report_size *size, FILE *to)
{
    const subject *s = report_blocked(size);
    char keys[32];
    double line = memory_limit(&size->alone, MEMORY_READ).ns;
    report_goals_cuckoo(size, line, to);
    if (!s) return;
    fprintf(to, "\ngoals, %s keys, blocked (ns are for the machine of bench/README.md)\n",
            bench_short(size->keys, keys, sizeof keys));
    report_goal("rate, %", 100 * s->rate, 1, 0.98, to);
    if (size->keys <= 4000000)
        report_goals_in_cache(s, line, to);
    else
        report_goals_far(s, line, bench_min(&size->hash[KEYS_STRINGS]), to);
    fflush(to);
}

/* ---- JSON --------------------------------------------------------------- */

/* Names of processors and compilers hold nothing worse than quotes. */
static void report_string(const char *key, const char *value, FILE *to)
{
    fprintf(to, "\"%s\": \"", key);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') fputc('\\', to);
        if ((unsigned char)*value >= ' ') fputc(*value, to);
    }
    fputs("\"", to);
}

void report_json_begin(const bench_machine *machine, const char *command, FILE *to)
{
    fputs("{\n", to);
    report_string("processor", machine->processor, to);
    fprintf(to, ",\n\"processors\": %u,\n", machine->processors);
    report_string("caches", machine->caches, to);
    fputs(",\n", to);
    report_string("system", machine->system, to);
    fputs(",\n", to);
    report_string("compiler", machine->compiler, to);
    fputs(",\n", to);
    report_string("flags", BENCH_FLAGS, to);
    fputs(",\n", to);
    report_string("date", machine->date, to);
    fputs(",\n", to);
    report_string("command", command, to);
    fputs(",\n\"unit\": \"ns per key\",\n\"sizes\": [", to);
}

static void report_json_samples(const char *key, const bench_samples *samples, FILE *to)
{
    fprintf(to, "\"%s\": ", key);
    if (samples->count == 0)
        fputs("null", to);
    else
        fprintf(to, "{\"min\": %.3f, \"median\": %.3f}", bench_min(samples), bench_median(samples));
}

static void report_json_limit(const char *key, memory_best best, FILE *to)
{
    fprintf(to, "\"%s\": {\"min\": %.3f, \"median\": %.3f, \"hint\": \"%s\", \"ahead\": %u},\n  ",
            key, best.ns, best.median, memory_hint_names[best.hint], best.depth);
}

static void report_json_row(const row *r, bool first, FILE *to)
{
    fprintf(to, "%s\n      {\"keys\": \"%s\", \"how\": \"%s\", \"threads\": %u", first ? "" : ",",
            keys_form_names[r->form], row_how(r), r->threads);
    for (unsigned verb = 0; verb < ROW_VERBS; verb++) {
        fputs(", ", to);
        report_json_samples(row_verb_names[verb], &r->cost[verb], to);
    }
    fputs("}", to);
}

static void report_json_subject(const subject *s, bool first, FILE *to)
{
    fprintf(to,
            "%s\n    {\"kind\": \"%s\", \"bytes\": %llu, \"bits_per_key\": %.4f, "
            "\"rate\": %.8f, \"overhead\": %.4f, \"rows\": [",
            first ? "" : ",", s->name, (unsigned long long)s->bytes, s->bits_per_key, s->rate,
            s->overhead);
    for (unsigned r = 0; r < s->row_count; r++) report_json_row(&s->rows[r], r == 0, to);
    fputs("]}", to);
}

void report_json_size(const report_size *size, bool first, FILE *to)
{
    fprintf(to, "%s\n {\"keys\": %llu, \"limit_bytes\": %llu,\n  ", first ? "" : ",",
            (unsigned long long)size->keys, (unsigned long long)size->limit_bytes);
    report_json_limit("read_line", memory_limit(&size->alone, MEMORY_READ), to);
    report_json_limit("change_line", memory_limit(&size->alone, MEMORY_CHANGE), to);
    if (size->threads > 1) {
        report_json_limit("read_line_all", memory_limit(&size->together, MEMORY_READ), to);
        report_json_limit("change_line_all", memory_limit(&size->together, MEMORY_CHANGE), to);
    }
    for (unsigned form = KEYS_INTEGERS; form < KEYS_FORMS; form++) {
        char key[32];
        snprintf(key, sizeof key, "hash_%s", keys_form_names[form]);
        report_json_samples(key, &size->hash[form], to);
        fputs(",\n  ", to);
    }
    fputs("\"kinds\": [", to);
    for (unsigned i = 0; i < size->subject_count; i++)
        report_json_subject(&size->subjects[i], i == 0, to);
    fputs("]}", to);
    fflush(to);
}

void report_json_end(FILE *to)
{
    fputs("\n]\n}\n", to);
}
