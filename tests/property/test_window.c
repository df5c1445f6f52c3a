/* test_window.c - filters that forget: what they keep, how long at most, at
 * which rate, and that their time is kept in the file.                      */
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

/* More keys than planned within the time, or as many at once: the rate rises, and
 * it is said. */
static void too_many_keys_are_told(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {5000, 1000};
    for (size_t n = 0; n < COUNT(numbers); n++) {
        const tamis_spec spec = {
            .kind = TAMIS_KIND_WINDOW, .capacity = 1000, .fpr = 0.01, .window = 100};
        tamis_filter *f = NULL;
        tamis_finding findings[16];
        CHECK_OK(tamis_create(&spec, &f));
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
        cmocka_unit_test(the_last_keys),     cmocka_unit_test(adding_again_refreshes),
        cmocka_unit_test(rate_at_every_age), cmocka_unit_test(the_last_hour),
        cmocka_unit_test(the_state_travels), cmocka_unit_test(too_many_keys_are_told),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
