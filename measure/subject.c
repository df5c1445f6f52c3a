/* subject.c - see subject.h.                                        */
#include "measure/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tamis/info.h>

const char *const row_verb_names[ROW_VERBS] = {"add", "hit", "miss", "mix"};

enum { SUBJECT_CHUNK = 1 << 24 };          /* keys made at once for a build */
enum { SUBJECT_FRESH = 1 << 22 };          /* and for timed adds */
enum { SUBJECT_RATE_KEYS = 10 * 1000000 }; /* absent keys asked for the rate */

/* ---- what is measured --------------------------------------------------- */

/* Keys that are made at once for timed adds, which fill the second half. */
static size_t subject_fresh_count(const subject *s)
{
    const uint64_t half = s->keys - s->keys / 2;
    return half < SUBJECT_FRESH ? (size_t)half : SUBJECT_FRESH;
}

void subject_row(subject *s, row_path path, keys_form form, unsigned threads,
                 const view_loops *view)
{
    if (s->row_count == ROWS_MOST) bench_die("more than %d rows", ROWS_MOST);
    /* The few strings come again and again, and a cuckoo filter takes every copy. */
    if (form == KEYS_STRINGS && s->spec.kind == TAMIS_KIND_CUCKOO) return;
    if (path == ROW_SHARED && !(s->abilities & TAMIS_CAN_CONCURRENT)) return;
    if (path == ROW_BUILD && threads > 1 && !(s->abilities & TAMIS_CAN_PARALLEL)) return;
    s->rows[s->row_count++] = (row){.path = path, .form = form, .threads = threads, .view = view};
}

/* Any kind of the registry by its name; "-1" and "-2" ask for lines a key, "-dense"
 * for a dense layout. */
static bool subject_kind(const char *name, tamis_spec *spec)
{
    char kind[32];
    const char *dense = strstr(name, "-dense");
    size_t length = dense ? (size_t)(dense - name) : strlen(name);
    if (dense) spec->flags |= TAMIS_DENSE;
    bool lines = length > 2 && name[length - 2] == '-' && strchr("12", name[length - 1]);
    if (lines) spec->lines_per_key = (uint32_t)(name[length - 1] - '0');
    snprintf(kind, sizeof kind, "%.*s", (int)(lines ? length - 2 : length), name);
    spec->kind = tamis_kind_id(kind);
    return spec->kind != TAMIS_KIND_ANY;
}

/* Instead of bits a key: 12-bit fingerprints in fours, as in the goals. */
static void subject_init_cuckoo(subject *s, double fpr)
{
    s->spec.fpr = fpr;
    s->spec.fingerprint_bits = 12;
    s->spec.bucket_keys = 4;
}

bool subject_init(subject *s, const char *name, uint64_t keys, double bits, double fpr)
{
    *s = (subject){.name = name, .keys = keys};
    if (!subject_kind(name, &s->spec)) return false;
    s->abilities = tamis_kind_abilities(s->spec.kind);
    s->spec.capacity = keys;
    if (s->abilities & TAMIS_CAN_GROW) { /* a seventh of the keys was foreseen: three layers */
        s->spec.growth = TAMIS_GROWTH_SCALE;
        s->spec.capacity = keys / 7 + 1;
        s->spec.fpr = fpr;
    } else if (bits > 0 && s->spec.kind == TAMIS_KIND_CUCKOO) {
        subject_init_cuckoo(s, fpr);
    } else if (bits > 0) {
        s->spec.memory = (uint64_t)((double)keys * bits / 8);
    } else {
        s->spec.fpr = fpr;
    }
    return (~s->abilities & (TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS)) == 0;
}

/* One filter is asked, one takes adds, one is built; layers grow past the plan. */
uint64_t subject_memory(const subject *s)
{
    tamis_sizing sizing;
    tamis_spec spec = s->spec;
    if (tamis_plan(&spec, &sizing) != TAMIS_OK) return 0;
    const double bytes = sizing.bits_per_key / 8 * (double)s->keys;
    const double keys = 16.0 * (double)subject_fresh_count(s) + 8.0 * SUBJECT_CHUNK;
    return (uint64_t)((s->spec.growth ? 2 : 1) * 3 * bytes + keys);
}

const char *row_how(const row *r)
{
    switch (r->path) {
    case ROW_SINGLE: return "one by one";
    case ROW_VIEW: return r->view->name;
    case ROW_BATCH: return "batch";
    case ROW_BUILD: return "build";
    case ROW_SHARED: return "concurrent";
    }
    return "";
}

/* ---- the calls ---------------------------------------------------------- */

static uint64_t subject_ask_singly(const tamis_filter *f, const tamis_keys *keys)
{
    const uint64_t *words = keys->data;
    const tamis_span *spans = keys->data;
    uint64_t hits = 0;
    if (keys->layout == TAMIS_LAYOUT_DIGESTS)
        for (size_t i = 0; i < keys->count; i++) hits += tamis_may_contain_hash(f, words[i]);
    else if (keys->layout == TAMIS_LAYOUT_U64)
        for (size_t i = 0; i < keys->count; i++) hits += tamis_may_contain_u64(f, words[i]);
    else
        for (size_t i = 0; i < keys->count; i++)
            hits += tamis_may_contain(f, spans[i].data, spans[i].size);
    return hits;
}

static void subject_add_singly(tamis_filter *f, const tamis_keys *keys)
{
    const uint64_t *words = keys->data;
    const tamis_span *spans = keys->data;
    tamis_status status = TAMIS_OK;
    if (keys->layout == TAMIS_LAYOUT_DIGESTS)
        for (size_t i = 0; i < keys->count; i++) status |= tamis_add_hash(f, words[i]);
    else if (keys->layout == TAMIS_LAYOUT_U64)
        for (size_t i = 0; i < keys->count; i++) status |= tamis_add_u64(f, words[i]);
    else
        for (size_t i = 0; i < keys->count; i++)
            status |= tamis_add(f, spans[i].data, spans[i].size);
    if (status != TAMIS_OK) bench_die("%s", tamis_explain());
}

static uint64_t subject_ask(const tamis_filter *f, const row *r, const tamis_keys *keys)
{
    static _Thread_local bool answers[BENCH_SLICE];
    tamis_blocked_view view;
    switch (r->path) {
    case ROW_SINGLE: return subject_ask_singly(f, keys);
    case ROW_VIEW:
        tamis_blocked_view_of(f, &view);
        return r->view->ask(&view, keys->data, keys->count);
    default: return tamis_may_contain_many(f, keys, answers);
    }
}

static void subject_add(tamis_filter *f, const row *r, const tamis_keys *keys)
{
    tamis_blocked_view view;
    switch (r->path) {
    case ROW_SINGLE: subject_add_singly(f, keys); break;
    case ROW_VIEW:
        tamis_blocked_view_of(f, &view);
        bench_keep(r->view->add(&view, keys->data, keys->count));
        break;
    default:
        if (tamis_add_many(f, keys, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
    }
}

/* ---- asking ------------------------------------------------------------- */

typedef struct subject_job {
    tamis_filter *filter;
    const row *row;
    const keys_store *store;
    keys_set set;
    size_t from, count;      /* of all threads */
    const uint64_t *digests; /* for adding */
} subject_job;

/* A thread's share of the keys, a slice at a time. */
static void subject_ask_work(void *ctx, unsigned self, unsigned threads)
{
    const subject_job *job = ctx;
    size_t first = job->from + job->count * self / threads;
    size_t last = job->from + job->count * (self + 1) / threads;
    for (size_t at = first; at < last; at += BENCH_SLICE) {
        size_t count = last - at < BENCH_SLICE ? last - at : BENCH_SLICE;
        tamis_keys keys = keys_slice(job->store, job->row->form, job->set, at, count);
        bench_keep(subject_ask(job->filter, job->row, &keys));
    }
}

/* Of one thread its processor time counts: a whole build meets no quiet minute. */
static double subject_time(bench_work work, subject_job *job, unsigned threads)
{
    uint64_t spent;
    if (threads == 1) {
        uint64_t (*clock)(void) =
            job->row && job->row->threads > 1 ? bench_now : bench_now_of_thread;
        uint64_t began = clock();
        work(job, 0, 1);
        spent = clock() - began;
    } else {
        spent = bench_run_threads(threads, work, job);
    }
    return (double)spent / (double)job->count;
}

/* Every slice takes the next keys: one that is asked twice finds its lines in a
 * cache. Several threads are worth starting for all slices at once only. */
static void subject_ask_round(subject *s, tamis_filter *f, row *r, const keys_store *store,
                              keys_set set, unsigned slices)
{
    size_t all = keys_count(store, r->form), *next = &s->next[r->form][set];
    size_t count = r->threads == 1 ? BENCH_SLICE : (size_t)BENCH_SLICE * slices * r->threads;
    if (count > all) count = all;
    if (count == 0) return; /* of so few keys none is a string */
    subject_job job = {.filter = f, .row = r, .store = store, .set = set, .count = count};
    for (unsigned i = 0; i < (r->threads == 1 ? slices : 1); i++) {
        if (*next + count > all) *next = 0;
        job.from = *next;
        *next += count;
        bench_note(&r->cost[ROW_HIT + set], subject_time(subject_ask_work, &job, r->threads));
    }
}

/* ---- adding ------------------------------------------------------------- */

static tamis_filter *subject_make(const subject *s, uint32_t flags)
{
    tamis_spec spec = s->spec;
    tamis_filter *f;
    spec.flags |= flags;
    if (tamis_create(&spec, &f) != TAMIS_OK) bench_die("%s: %s", s->name, tamis_explain());
    return f;
}

/* Calls work over keys [0, count) as digests, chunk by chunk; ns per key, the
 * making of the keys not included. */
static double subject_fill(bench_work work, subject_job *job, uint64_t count, unsigned threads)
{
    size_t most = count < SUBJECT_CHUNK ? (size_t)count : SUBJECT_CHUNK;
    uint64_t *digests = bench_buffer(most * sizeof *digests, true);
    double spent = 0;
    job->digests = digests;
    for (uint64_t first = 0; first < count; first += most) {
        job->count = count - first < most ? (size_t)(count - first) : most;
        keys_digests(first, job->count, digests);
        spent += subject_time(work, job, threads) * (double)job->count;
    }
    bench_buffer_free(digests, most * sizeof *digests);
    return spent / (double)count;
}

static void subject_fill_work(void *ctx, unsigned self, unsigned threads)
{
    const subject_job *job = ctx;
    size_t first = job->count * self / threads, last = job->count * (self + 1) / threads;
    tamis_keys keys = tamis_keys_digests(job->digests + first, last - first);
    if (tamis_add_many(job->filter, &keys, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
}

/* The library starts its threads itself, as many as the row says. */
static void subject_build_work(void *ctx, unsigned self, unsigned threads)
{
    const subject_job *job = ctx;
    tamis_keys keys = tamis_keys_digests(job->digests, job->count);
    (void)self, (void)threads;
    if (tamis_add_many_parallel(job->filter, &keys, job->row->threads, NULL) != TAMIS_OK)
        bench_die("%s", tamis_explain());
}

static void subject_build_round(const subject *s, row *r)
{
    subject_job job = {.filter = subject_make(s, 0), .row = r};
    if (r->threads > 1) bench_unpin();
    bench_note(&r->cost[ROW_ADD], subject_fill(subject_build_work, &job, s->keys, 1));
    if (r->threads > 1) bench_pin(0);
    tamis_free(job.filter);
}

static void subject_shared_round(subject *s, row *r, const keys_store *store, unsigned slices)
{
    subject_job job = {.filter = subject_make(s, TAMIS_CONCURRENT), .row = r};
    bench_note(&r->cost[ROW_ADD], subject_fill(subject_fill_work, &job, s->keys, r->threads));
    for (unsigned set = 0; set < KEYS_SETS; set++)
        subject_ask_round(s, job.filter, r, store, (keys_set)set, slices);
    tamis_free(job.filter);
}

/* Makes the keys that follow: far more than a slice, so that they come from
 * memory when they are added, as a caller's would. */
static void subject_refresh(subject *s)
{
    size_t count = subject_fresh_count(s);
    for (unsigned i = 0; i < 2; i++)
        if (!s->fresh[i]) s->fresh[i] = bench_buffer(count * sizeof(uint64_t), true);
    keys_digests(s->taken, count, s->fresh[KEYS_DIGESTS]);
    keys_integers(s->taken, count, s->fresh[KEYS_INTEGERS]);
    s->fresh_first = s->taken;
}

/* The filter that takes the adds is replaced when it is full. */
static void subject_renew(subject *s)
{
    tamis_free(s->taking);
    s->taking = subject_make(s, 0);
    subject_job job = {.filter = s->taking};
    s->taken = s->keys / 2;
    subject_fill(subject_fill_work, &job, s->taken, 1);
    subject_refresh(s);
}

static tamis_keys subject_fresh(subject *s, keys_form form, const keys_store *store, size_t count)
{
    if (form == KEYS_STRINGS) {
        if (s->string + count > store->string_count) s->string = 0;
        s->string += count;
        return keys_slice(store, form, KEYS_HIT, s->string - count, count);
    }
    if (s->taken + count > s->fresh_first + subject_fresh_count(s)) subject_refresh(s);
    const uint64_t *words = s->fresh[form] + (s->taken - s->fresh_first);
    return form == KEYS_DIGESTS ? tamis_keys_digests(words, count) : tamis_keys_u64(words, count);
}

static void subject_add_round(subject *s, row *r, const keys_store *store, unsigned slices)
{
    size_t count = s->keys / 4 < BENCH_SLICE ? (size_t)s->keys / 4 : BENCH_SLICE;
    if (count == 0 && r->form == KEYS_STRINGS) return;
    if (count == 0) count = 1;
    for (unsigned i = 0; i < slices; i++) {
        if (!s->taking || s->taken + count > s->keys) subject_renew(s);
        const tamis_keys keys = subject_fresh(s, r->form, store, count);
        uint64_t began = bench_now_of_thread();
        subject_add(s->taking, r, &keys);
        bench_note(&r->cost[ROW_ADD], (double)(bench_now_of_thread() - began) / (double)count);
        s->taken += count;
    }
}

/* ---- the life of a subject ---------------------------------------------- */

static void subject_measure(subject *s)
{
    static uint64_t digests[BENCH_SLICE];
    tamis_facts facts;
    size_t hits = 0, asked = 0;
    for (; asked < SUBJECT_RATE_KEYS; asked += BENCH_SLICE) {
        keys_digests(2 * KEYS_ABSENT + asked, BENCH_SLICE, digests);
        const tamis_keys keys = tamis_keys_digests(digests, BENCH_SLICE);
        hits += tamis_may_contain_many(s->asked, &keys, NULL);
    }
    tamis_info(s->asked, &facts);
    s->rate = (double)hits / (double)asked;
    s->bits_per_key = (double)facts.bits / (double)s->keys;
    s->overhead = hits ? s->bits_per_key / -log2(s->rate) : 0;
    s->bytes = facts.bits / 8;
}

void subject_start(subject *s, const keys_store *store)
{
    const tamis_keys strings = keys_slice(store, KEYS_STRINGS, KEYS_HIT, 0, store->string_count);
    s->asked = subject_make(s, 0);
    subject_job job = {.filter = s->asked};
    subject_fill(subject_fill_work, &job, s->keys - store->string_count, 1);
    if (tamis_add_many(s->asked, &strings, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
    subject_measure(s);
}

void subject_end(subject *s)
{
    tamis_free(s->asked);
    tamis_free(s->taking);
    s->asked = s->taking = NULL;
    for (unsigned i = 0; i < 2; i++) {
        if (s->fresh[i]) bench_buffer_free(s->fresh[i], subject_fresh_count(s) * sizeof(uint64_t));
        s->fresh[i] = NULL;
    }
}

void subject_round(subject *s, const keys_store *store, unsigned slices, bool build)
{
    for (unsigned i = 0; i < s->row_count; i++) {
        row *r = &s->rows[i];
        if (r->path == ROW_BUILD) {
            if (build) subject_build_round(s, r);
        } else if (r->path == ROW_SHARED) {
            if (build) subject_shared_round(s, r, store, slices);
        } else {
            if (r->threads == 1) subject_add_round(s, r, store, slices);
            for (unsigned set = 0; set < KEYS_SETS; set++)
                subject_ask_round(s, s->asked, r, store, (keys_set)set, slices);
        }
    }
}
