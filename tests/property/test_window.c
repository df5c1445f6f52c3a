/* test_window.c - filters that forget: what they keep, how long at most, at
 * which rate, and that their time is kept in the file.                      */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 662607;

static const struct {
    uint32_t inner, generations;
} SHAPES[] = {
    {TAMIS_KIND_BLOCKED, 0}, {TAMIS_KIND_BLOCKED, 1},  {TAMIS_KIND_CLASSIC, 2},
    {TAMIS_KIND_BLOCKED, 7}, {TAMIS_KIND_CLASSIC, 63},
};

static tamis_filter *made(size_t shape, uint64_t keys, uint64_t span, double fpr)
{
    const tamis_spec spec = {.kind = TAMIS_KIND_WINDOW,
                             .inner = SHAPES[shape].inner,
                             .parts = SHAPES[shape].generations,
                             .capacity = keys,
                             .window = span,
                             .fpr = fpr};
    tamis_filter *f = NULL;
    check_about("window of %s, %u generations, %" PRIu64 " keys, %" PRIu64 " of time",
                tamis_kind_name(spec.inner), spec.parts, keys, span);
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

static tamis_window window_of(const tamis_filter *f)
{
    tamis_window window;
    CHECK_OK(tamis_window_of(f, &window));
    return window;
}

/* ---- keys that are counted -------------------------------------------------- */

/* Distinct keys one after another: each is there while fewer than N came after
 * it, and at a low rate nearly none is when more than its bound did. */
static void the_last_keys(void **state)
{
    (void)state;
    enum { N = 1000 };
    for (size_t s = 0; s < COUNT(SHAPES); s++)
        for (int batch = 0; batch < 2; batch++) {
            tamis_filter *f = made(s, N, 0, 1e-6);
            const tamis_window w = window_of(f);
            const uint64_t bound = (w.generations + 1) * w.share;
            CHECK(w.share == (N + w.generations - 1) / w.generations, "a share of %" PRIu64,
                  w.share);
            uint64_t late = 0;
            for (uint64_t i = 0; i < 6 * N; i++) {
                const tamis_keys one = tamis_keys_u64(&i, 1);
                CHECK_OK(batch ? tamis_add_many(f, &one, NULL) : tamis_add_u64(f, i));
                if (i % 37) continue;
                for (uint64_t k = i < N ? 0 : i - N + 1; k <= i; k++)
                    CHECK(tamis_may_contain_u64(f, k), "key %" PRIu64 " at %" PRIu64, k, i);
                for (uint64_t k = 0; i >= bound && k <= i - bound; k++)
                    late += tamis_may_contain_u64(f, k);
            }
            CHECK(late < 20, "%" PRIu64 " keys are there too late", late);
            tamis_free(f);
        }
}

/* A key that comes again and again is there for ever; was_new tells whether it
 * was seen within the window. */
static void adding_again_refreshes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, 640, 0, 1e-6);
        CHECK_OK(tamis_add_u64(f, UINT64_MAX));
        for (uint64_t i = 0; i < 10000; i++) {
            bool was_new = true;
            if (i % 300 == 0) {
                CHECK_OK(tamis_add_new_u64(f, UINT64_MAX, &was_new));
                CHECK(!was_new, "forgotten at %" PRIu64, i);
            }
            CHECK_OK(tamis_add_new_u64(f, i, &was_new));
            CHECK(tamis_may_contain_u64(f, UINT64_MAX), "forgotten at %" PRIu64, i);
        }
        tamis_free(f);
    }
}

/* The generations share the promise: it holds at every age of the filter. */
static void rate_at_every_age(void **state)
{
    (void)state;
    enum { N = 20000, STRANGERS = 40000 };
    for (size_t s = 0; s + 1 < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, N, 0, 0.02);
        splitmix random = {SEED};
        double worst = 0, told = 0;
        for (uint64_t i = 0; i < 5 * N; i++) {
            CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
            if (i % 2999) continue;
            uint64_t maybes = 0;
            for (unsigned k = 0; k < STRANGERS; k++)
                maybes += tamis_may_contain_hash(f, splitmix_next(&random));
            tamis_facts facts;
            CHECK_OK(tamis_info(f, &facts));
            const double rate = (double)maybes / STRANGERS;
            CHECK(rate < 1.1 * facts.fpr_now + 0.003, "%g seen, %g told", rate, facts.fpr_now);
            worst = rate > worst ? rate : worst;
            told = facts.fpr_now > told ? facts.fpr_now : told;
        }
        CHECK(told <= 1.05 * 0.02 && worst < 0.024, "a rate of %g, told %g", worst, told);
        CHECK(told > 0.015, "wasteful: at most %g", told);
        tamis_free(f);
    }
}

/* Distinct keys that the generations hold after so many: all but those of the
 * generations that were emptied. */
static uint64_t held_after(const tamis_window *w, uint64_t added)
{
    const uint64_t full = added ? (added - 1) / w->share : 0; /* generations before the newest */
    const uint64_t gone = full > w->generations ? full - w->generations : 0;
    return added - gone * w->share;
}

/* Far past its capacity: the keys that are told are those that are held. */
static void estimates_past_the_window(void **state)
{
    (void)state;
    enum { N = 3000 };
    for (size_t s = 0; s < COUNT(SHAPES); s++) {
        unsigned outside = 0, looked = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            tamis_filter *f = made(s, N, 0, 0.001);
            const tamis_window w = window_of(f);
            splitmix random = {SEED + seed};
            for (uint64_t i = 1; i <= 4 * N; i++) {
                CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
                if (i % 1777) continue;
                const double held = (double)held_after(&w, i);
                tamis_facts facts;
                CHECK_OK(tamis_info(f, &facts));
                CHECK(fabs(facts.keys - held) < 0.05 * held + 5, "%g keys where %g are", facts.keys,
                      held);
                CHECK(facts.keys <= 1.05 * (N + (double)w.share), "%g keys are too many",
                      facts.keys);
                outside += facts.keys_low > held || facts.keys_high < held;
                looked++;
            }
            tamis_free(f);
        }
        CHECK(outside <= looked / 8, "%u of %u intervals miss the truth", outside, looked);
    }
}

/* What the newest generation may hold is neither counted nor written again. */
static void repeats_change_nothing(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, 6400, 0, 1e-6);
        const uint64_t some = window_of(f).share / 2;
        for (uint64_t i = 0; i < some; i++) CHECK_OK(tamis_add_u64(f, i));
        filter_bytes once = filter_bytes_of(f);
        for (unsigned round = 0; round < 5; round++)
            for (uint64_t i = 0; i < some; i++) CHECK_OK(tamis_add_u64(f, i));
        filter_check_unchanged(f, &once, "keys that came again");
        filter_bytes_free(&once);
        tamis_free(f);
    }
}

/* Any number of threads, batches and single keys end in the same bytes, also
 * where generations are emptied on the way. */
static void builds_are_in_order(void **state)
{
    (void)state;
    enum { ALL = 5000 };
    static uint64_t keys[ALL];
    splitmix_fill(&(splitmix){SEED}, keys, ALL);
    const tamis_keys batch = tamis_keys_u64(keys, ALL);
    for (size_t s = 0; s < COUNT(SHAPES); s++) {
        tamis_filter *one = made(s, 1000, 0, 0.01);
        for (size_t i = 0; i < ALL; i++) CHECK_OK(tamis_add_u64(one, keys[i]));
        for (unsigned threads = 1; threads <= 9; threads += 4) {
            tamis_filter *many = made(s, 1000, 0, 0.01);
            size_t added = 0;
            CHECK_OK(tamis_add_many_parallel(many, &batch, threads, &added));
            CHECK(added == ALL, "%zu added", added);
            filters_check_same(one, many, "one by one and in parallel");
            tamis_free(many);
        }
        tamis_free(one);
    }
}

/* Keys appended to a file, in parts and past the window: what is opened is what
 * would be in memory. */
static void journals_roll_too(void **state)
{
    (void)state;
    enum { ALL = 3000, PART = 250 };
    static uint64_t keys[ALL];
    splitmix_fill(&(splitmix){SEED + 5}, keys, ALL);
    const char *path = scratch_path("window");
    for (size_t s = 0; s < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, 700, 0, 1e-4), *opened = NULL;
        CHECK_OK(tamis_save(f, path, NULL));
        for (size_t from = 0; from < ALL; from += PART) {
            const tamis_keys part = tamis_keys_u64(keys + from, PART);
            CHECK_OK(tamis_add_many(f, &part, NULL));
            CHECK_OK(tamis_file_add_many(path, &part, NULL, NULL));
            CHECK_OK(tamis_open(path, NULL, &opened));
            filters_check_same_body(f, opened, "in memory and in a file");
            for (size_t i = from + PART < 700 ? 0 : from + PART - 700; i < from + PART; i++)
                CHECK(tamis_may_contain_u64(opened, keys[i]), "key %zu of %zu", i, from + PART);
            tamis_free(opened);
        }
        tamis_free(f);
    }
}

/* A damaged chunk, wherever it lies: no key of the window is lost, and the rate
 * that is told is nearly the one that strangers get. Not quite where the chunk has
 * the end of one generation and the start of the next: what is lost there are
 * other keys in each, which no generation knows of the other. */
static void damage_loses_no_key(void **state)
{
    (void)state;
    enum { N = 400000, STRANGERS = 20000 };
    const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
    for (size_t s = 0; s + 1 < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, N, 0, 0.01), *read = NULL;
        for (uint64_t i = 0; i < 2 * N; i++) CHECK_OK(tamis_add_u64(f, i));
        filter_bytes b = filter_bytes_of(f);
        for (size_t chunk = 0; chunk < b.chunks; chunk += 3) {
            uint8_t *at = b.body + chunk * b.chunk_size + 77;
            uint64_t maybes = 0;
            tamis_facts facts;
            *at ^= 1;
            CHECK_OK(tamis_load(b.bytes, b.size, &salvage, &read));
            for (uint64_t i = N; i < 2 * N; i += 17)
                CHECK(tamis_may_contain_u64(read, i), "key %" PRIu64 ", chunk %zu", i, chunk);
            for (uint64_t i = 0; i < STRANGERS; i++)
                maybes += tamis_may_contain_u64(read, UINT64_C(1) << 40 | i);
            CHECK_OK(tamis_info(read, &facts));
            const double seen = (double)maybes / STRANGERS;
            CHECK(facts.damaged_bytes > 0, "chunk %zu is not known to be damaged", chunk);
            CHECK(fabs(facts.fpr_now - seen) < 0.2 * seen + 0.005, "%g is told, %g is seen",
                  facts.fpr_now, seen);
            tamis_free(read);
            *at ^= 1;
        }
        filter_bytes_free(&b);
        tamis_free(f);
    }
}

/* ---- time --------------------------------------------------------------------- */

static void the_last_hour(void **state)
{
    (void)state;
    enum { SPAN = 5040 }; /* divides by 1, 2, 4, 7 and 63 */
    for (size_t s = 0; s < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, 6000, SPAN, 1e-6);
        const tamis_window w = window_of(f);
        const uint64_t start = UINT64_C(1700000000), bound = SPAN + SPAN / w.generations;
        uint64_t late = 0;
        CHECK_OK(tamis_add_u64(f, UINT64_MAX)); /* before the clock starts */
        CHECK(window_of(f).turns == 0, "turns before it has a time");
        for (uint64_t t = 0; t < 4 * SPAN; t += 13) {
            CHECK_OK(tamis_window_advance(f, start + t));
            CHECK_OK(tamis_add_u64(f, t));
            const uint64_t turns = start + (t / w.share + 1) * w.share;
            CHECK(window_of(f).turns == turns, "it turns at %" PRIu64, window_of(f).turns);
            CHECK(t >= SPAN || tamis_may_contain_u64(f, UINT64_MAX), "the first key at %" PRIu64,
                  t);
            for (uint64_t k = 0; k <= t; k += 13) {
                const bool there = tamis_may_contain_u64(f, k);
                CHECK(there || t - k >= SPAN, "key %" PRIu64 " at %" PRIu64, k, t);
                late += there && t - k >= bound;
            }
        }
        CHECK(late < 50, "%" PRIu64 " keys are there too late", late);
        CHECK_STATUS(tamis_window_advance(f, start), TAMIS_E_SPEC);
        CHECK(window_of(f).now > start, "time ran backwards");
        CHECK_OK(tamis_window_advance(f, start + 100 * SPAN)); /* a long pause */
        for (uint64_t k = 0; k < 4 * SPAN; k += 13)
            CHECK(!tamis_may_contain_u64(f, k), "key %" PRIu64 " outlived a pause", k);
        CHECK_OK(tamis_window_advance(f, UINT64_MAX));
        CHECK(window_of(f).turns == UINT64_MAX, "time has an end");
        tamis_free(f);
    }
}

/* Half way the filter goes through a file; it ends as one that did not. */
static void the_state_travels(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(SHAPES); s++)
        for (uint64_t span = 0; span <= 1000; span += 1000)
            for (size_t j = 0; journey_number(j); j++) {
                tamis_filter *f = made(s, 500, span, 0.01), *copy = NULL, *arrived = NULL;
                luggage bags = {0};
                for (uint64_t i = 0; i < 777; i++) {
                    if (span) CHECK_OK(tamis_window_advance(f, 10 * i));
                    CHECK_OK(tamis_add_u64(f, i));
                }
                arrived = journey_number(j)->go(journey_number(j), f, &bags);
                CHECK_OK(tamis_clone(arrived, &copy)); /* writable, whatever the journey */
                for (uint64_t i = 777; i < 1500; i++) {
                    if (span) CHECK_OK(tamis_window_advance(f, 10 * i));
                    if (span) CHECK_OK(tamis_window_advance(copy, 10 * i));
                    CHECK_OK(tamis_add_u64(f, i));
                    CHECK_OK(tamis_add_u64(copy, i));
                }
                filters_check_same(f, copy, journey_number(j)->why);
                tamis_free(copy);
                journey_end(arrived, &bags);
                tamis_free(f);
            }
}

/* All keys of a window in one moment, and all again in every generation: the
 * promise holds. */
static void rushes_keep_the_rate(void **state)
{
    (void)state;
    enum { N = 20000, SPAN = 120, STRANGERS = 100000 };
    for (size_t s = 0; s + 1 < COUNT(SHAPES); s++) {
        tamis_filter *f = made(s, N, SPAN, 0.02);
        const tamis_window w = window_of(f);
        splitmix random = {SEED};
        uint64_t maybes = 0;
        for (uint64_t time = 0; time <= SPAN; time += w.share) {
            CHECK_OK(tamis_window_advance(f, time));
            for (uint64_t key = 0; key < N; key++) CHECK_OK(tamis_add_u64(f, key));
        }
        for (unsigned k = 0; k < STRANGERS; k++)
            maybes += tamis_may_contain_hash(f, splitmix_next(&random));
        const double rate = (double)maybes / STRANGERS;
        CHECK(rate < 1.05 * 0.02 + 0.0014, "a rate of %g", rate); /* 3 standard deviations */
        tamis_free(f);
    }
}

/* More keys than planned within the time: the rate rises, and it is said. */
static void too_many_keys_are_told(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {5000, 1400};
    for (size_t n = 0; n < COUNT(numbers); n++) {
        tamis_filter *f = made(0, 1000, 100, 0.01);
        tamis_finding findings[16];
        CHECK_OK(tamis_window_advance(f, 0));
        for (uint64_t i = 0; i < numbers[n]; i++) CHECK_OK(tamis_add_u64(f, i));
        const size_t count = tamis_diagnose(f, findings, COUNT(findings));
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found |= findings[i].code == TAMIS_FINDING_OVER_CAPACITY ||
                     findings[i].code == TAMIS_FINDING_SATURATED;
        CHECK(found, "nothing is said about %" PRIu64 " keys at once", numbers[n]);
        tamis_free(f);
    }
}

/* Filled until every bit is set, a window says so; and forgets that too. */
static void what_saturates_is_forgotten(void **state)
{
    (void)state;
    tamis_filter *f = made(0, 1000, 100, 0.01);
    CHECK_OK(tamis_window_advance(f, 0));
    for (uint64_t i = 0; i < 5000; i++) CHECK_OK(tamis_add_u64(f, i));
    tamis_facts facts, before = {0};
    for (uint64_t goal = 10000; goal < 500000; goal *= 2) { /* until every bit is set */
        for (uint64_t i = goal / 2; i < goal; i++) CHECK_OK(tamis_add_u64(f, i));
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.fpr_now >= before.fpr_now && facts.fpr_now <= 1, "a rate of %g", facts.fpr_now);
        CHECK(facts.keys_high >= 0.8 * (double)goal, "at most %g of %" PRIu64, facts.keys_high,
              goal);
        before = facts;
    }
    CHECK(facts.fpr_now > 0.99 && isinf(facts.keys_high), "a rate of %g, at most %g keys",
          facts.fpr_now, facts.keys_high);
    CHECK_OK(tamis_window_advance(f, 1000)); /* all is forgotten */
    CHECK_OK(tamis_info(f, &facts));
    CHECK(facts.fpr_now <= 0 && facts.ones == 0, "a rate of %g in an empty filter", facts.fpr_now);
    tamis_free(f);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
    } rows[] = {
        {"64 generations", {.parts = 64}},
        {"less time than generations", {.parts = 10, .window = 9}},
        {"strict", {.flags = TAMIS_STRICT}},
        {"scaling", {.growth = TAMIS_GROWTH_SCALE}},
        {"windows of windows", {.inner = TAMIS_KIND_WINDOW}},
        {"windows of twins", {.inner = TAMIS_KIND_TWIN}},
    };
    tamis_filter *f = NULL;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_spec spec = rows[i].spec;
        spec.kind = TAMIS_KIND_WINDOW;
        spec.capacity = 100;
        spec.fpr = 0.01;
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_create(&spec, &f), TAMIS_E_SPEC);
    }
    const tamis_spec plain = {.kind = TAMIS_KIND_BLOCKED, .capacity = 10, .fpr = 0.01, .window = 5};
    CHECK_STATUS(tamis_create(&plain, &f), TAMIS_E_SPEC);
    const tamis_spec chosen = {.capacity = 10, .fpr = 0.01, .window = 5};
    CHECK_OK(tamis_create(&chosen, &f));
    CHECK(window_of(f).span == 5, "another kind was chosen");
    tamis_free(f);
    f = made(0, 100, 0, 0.01);
    CHECK_STATUS(tamis_window_advance(f, 1), TAMIS_E_UNSUPPORTED);
    tamis_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_keys),          cmocka_unit_test(adding_again_refreshes),
        cmocka_unit_test(rate_at_every_age),      cmocka_unit_test(the_last_hour),
        cmocka_unit_test(the_state_travels),      cmocka_unit_test(rushes_keep_the_rate),
        cmocka_unit_test(too_many_keys_are_told), cmocka_unit_test(what_saturates_is_forgotten),
        cmocka_unit_test(what_is_refused),        cmocka_unit_test(estimates_past_the_window),
        cmocka_unit_test(repeats_change_nothing), cmocka_unit_test(builds_are_in_order),
        cmocka_unit_test(journals_roll_too),      cmocka_unit_test(damage_loses_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
