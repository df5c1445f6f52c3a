/* test_cli_number.c - the numbers people type, taken or refused as a whole, and
 * the numbers people read.                                                  */
#include <string.h>

#include "support/check.h"

#include "../../cli/number.c"
#include "../../cli/timestamp.c"

/* ---- taken -------------------------------------------------------------- */

static void counts_are_read(void **state)
{
    static const struct {
        const char *why, *text;
        uint64_t value;
    } rows[] = {
        {"digits", "200000000", 200000000},
        {"nothing", "0", 0},
        {"zeros before", "007", 7},
        {"thousands", "5k", 5000},
        {"millions", "200M", 200000000},
        {"millions, small letter", "200m", 200000000},
        {"billions", "3G", 3000000000},
        {"trillions", "2T", UINT64_C(2000000000000)},
        {"with an exponent", "1e9", 1000000000},
        {"with a large exponent sign", "1E+3", 1000},
        {"a fraction that becomes whole", "1.5e6", 1500000},
        {"a fraction and a letter", "1.5M", 1500000},
        {"whole but for the last bits of a double", "16.1k", 16100},
        {"the same from below", "2.01k", 2010},
        {"no digit before the point", ".5k", 500},
        {"exact above 2^53", "9007199254740993", UINT64_C(9007199254740993)},
        {"the largest", "9223372036854775807", UINT64_C(9223372036854775807)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char why[CLI_WHY] = "";
        uint64_t value = 0;
        check_about("%s: %s", rows[i].why, rows[i].text);
        CHECK(cli_parse_count(rows[i].text, &value, why), "refused: %s", why);
        CHECK(value == rows[i].value, "read as %" PRIu64, value);
    }
}

static void sizes_are_read(void **state)
{
    static const struct {
        const char *why, *text;
        uint64_t value;
    } rows[] = {
        {"bytes", "1048576", 1048576},
        {"bytes, said", "512B", 512},
        {"powers of 1024", "64k", 65536},
        {"the same, said", "64KiB", 65536},
        {"powers of 1000", "64kB", 64000},
        {"mebibytes", "64M", 67108864},
        {"gibibytes, small letters", "2gib", UINT64_C(2147483648)},
        {"tebibytes", "1T", UINT64_C(1099511627776)},
        {"half of one", "0.5G", 536870912},
        {"a part of a byte is dropped", "1.3k", 1331},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char why[CLI_WHY] = "";
        uint64_t value = 0;
        check_about("%s: %s", rows[i].why, rows[i].text);
        CHECK(cli_parse_bytes(rows[i].text, &value, why), "refused: %s", why);
        CHECK(value == rows[i].value, "read as %" PRIu64, value);
    }
}

static void rates_are_read(void **state)
{
    static const struct {
        const char *why, *text;
        double value;
    } rows[] = {
        {"a share", "0.01", 0.01},
        {"per cent", "1%", 0.01},
        {"one in a hundred", "1/100", 0.01},
        {"with an exponent", "1e-9", 1e-9},
        {"parts of a per cent", "0.5%", 0.005},
        {"a fraction of letters", "3/1e6", 3e-6},
        {"nearly always", "99.9%", 0.999},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char why[CLI_WHY] = "";
        double value = 0;
        check_about("%s: %s", rows[i].why, rows[i].text);
        CHECK(cli_parse_rate(rows[i].text, &value, why), "refused: %s", why);
        CHECK(fabs(value - rows[i].value) <= 1e-12 * rows[i].value, "read as %g", value);
    }
}

/* ---- refused ------------------------------------------------------------ */

typedef bool (*parser)(const char *text, void *out, char *why);

static bool parse_count(const char *text, void *out, char *why)
{
    return cli_parse_count(text, out, why);
}

static bool parse_bytes(const char *text, void *out, char *why)
{
    return cli_parse_bytes(text, out, why);
}

static bool parse_rate(const char *text, void *out, char *why)
{
    return cli_parse_rate(text, out, why);
}

static bool parse_real(const char *text, void *out, char *why)
{
    return cli_parse_real(text, out, why);
}

static void nonsense_is_refused_with_a_sentence(void **state)
{
    static const char *const for_all[] = {"",     " ",      "x",   "-1",  "+1",   "1 ", " 1",
                                          "0x10", "inf",    "nan", "1,5", "1..2", "1e", "1e999",
                                          "--",   "1e-999", "1k1", "1%%", ".",    "1/"};
    static const struct {
        parser parse;
        const char *text;
    } rows[] = {
        {parse_count, "12.5"}, {parse_count, "1e-3"}, {parse_count, "9223372036854775808"},
        {parse_count, "1e19"}, {parse_count, "5kk"},  {parse_count, "5ki"},
        {parse_count, "1%"},   {parse_bytes, "64Q"},  {parse_bytes, "64KIBB"},
        {parse_bytes, "1e30"}, {parse_bytes, "64%"},  {parse_rate, "0"},
        {parse_rate, "1"},     {parse_rate, "100%"},  {parse_rate, "2"},
        {parse_rate, "1/0"},   {parse_rate, "0/5"},   {parse_rate, "1/1"},
        {parse_rate, "1/2/3"}, {parse_rate, "1%/2"},  {parse_rate, "5k"},
        {parse_real, "2%"},    {parse_real, "1/2"},   {parse_real, "5k"},
    };
    static const parser parsers[] = {parse_count, parse_bytes, parse_rate, parse_real};
    uint64_t out[2];
    (void)state;
    for (size_t i = 0; i < COUNT(for_all); i++)
        for (size_t j = 0; j < COUNT(parsers); j++) {
            char why[CLI_WHY] = "";
            check_about("\"%s\" for parser %zu", for_all[i], j);
            CHECK(!parsers[j](for_all[i], out, why), "taken");
            CHECK(why[0] != '\0', "no sentence");
        }
    for (size_t i = 0; i < COUNT(rows); i++) {
        char why[CLI_WHY] = "";
        check_about("\"%s\"", rows[i].text);
        CHECK(!rows[i].parse(rows[i].text, out, why), "taken");
        CHECK(strstr(why, rows[i].text) != NULL, "the sentence does not name it: %s", why);
    }
}

static void long_nonsense_is_cut_in_its_sentence(void **state)
{
    char text[1000], why[CLI_WHY];
    uint64_t value;
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(cli_parse_count(text, &value, why));
    assert_true(strlen(why) < CLI_WHY);
    assert_non_null(strstr(why, "200M")); /* what is allowed is still said */
}

/* ---- secrets ------------------------------------------------------------ */

static void secrets_are_32_digits_and_never_repeated(void **state)
{
    static const char *const wrong[] = {"", "00", "000102030405060708090a0b0c0d0e0",
                                        "000102030405060708090a0b0c0d0e0f0",
                                        "000102030405060708090a0b0c0d0e0g"};
    uint8_t secret[16];
    char why[CLI_WHY];
    (void)state;
    assert_true(cli_parse_secret("000102030405060708090A0b0c0d0e0f", secret, why));
    for (uint8_t i = 0; i < 16; i++) assert_int_equal(secret[i], i);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        check_about("\"%s\"", wrong[i]);
        CHECK(!cli_parse_secret(wrong[i], secret, why), "taken");
        CHECK(!wrong[i][0] || !strstr(why, wrong[i]) || strlen(wrong[i]) < 3, "repeated: %s", why);
    }
}

/* ---- shown -------------------------------------------------------------- */

static void numbers_are_shown_round(void **state)
{
    char text[40];
    (void)state;
    cli_show_bytes(512, text, sizeof text);
    assert_string_equal(text, "512 B");
    cli_show_bytes(239626496, text, sizeof text);
    assert_string_equal(text, "228.5 MiB");
    cli_show_count(200e6, text, sizeof text);
    assert_string_equal(text, "200.00 million");
    cli_show_count(1234, text, sizeof text);
    assert_string_equal(text, "1234");
    cli_show_rate(0.01, text, sizeof text);
    assert_string_equal(text, "1 %");
    cli_show_rate(1e-9, text, sizeof text);
    assert_string_equal(text, "1 in 1e+09");
    cli_show_rate(0, text, sizeof text);
    assert_string_equal(text, "0");
}

/* ---- windows and times --------------------------------------------------- */

static void windows_are_read(void **state)
{
    static const struct {
        const char *why, *text;
        cli_window window; /* nothing: refused */
        const char *typed;
    } rows[] = {
        {"keys", "10M", {.keys = 10000000}, NULL},
        {"keys, digits", "8", {.keys = 8}, NULL},
        {"seconds", "90s", {.milliseconds = 90000}, "90s"},
        {"a small m is minutes", "10m", {.milliseconds = 600000}, "10m"},
        {"a part of an hour", "1.5h", {.milliseconds = 5400000}, "90m"},
        {"days", "7d", {.milliseconds = 604800000}, "7d"},
        {"milliseconds", "250ms", {.milliseconds = 250}, "250ms"},
        {"no keys", "0", {0}, NULL},
        {"no time", "0s", {0}, NULL},
        {"less than a millisecond", "0.1ms", {0}, NULL},
        {"years", "1y", {0}, NULL},
        {"capital hours", "1H", {0}, NULL},
        {"a negative one", "-1h", {0}, NULL},
        {"nothing", "", {0}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const cli_window *wanted = &rows[i].window;
        char why[CLI_WHY] = "", typed[40];
        cli_window window;
        check_about("%s: %s", rows[i].why, rows[i].text);
        const bool good = cli_parse_window(rows[i].text, &window, why);
        CHECK(good == (wanted->keys || wanted->milliseconds), "taken or not: %s", why);
        CHECK(!good || window.keys == wanted->keys, "keys");
        CHECK(!good || window.milliseconds == wanted->milliseconds, "time");
        cli_type_time(window.milliseconds, typed, sizeof typed);
        CHECK(!rows[i].typed || strcmp(typed, rows[i].typed) == 0, "typed as %s", typed);
    }
}

static void timestamps_are_read(void **state)
{
    static const struct {
        const char *why, *text;
        uint64_t milliseconds; /* UINT64_MAX: refused */
    } rows[] = {
        {"seconds", "1700000000", UINT64_C(1700000000000)},
        {"with a fraction", "1700000000.25", UINT64_C(1700000000250)},
        {"a fine fraction is cut", "1.0009", 1000},
        {"the beginning", "0", 0},
        {"blanks around it", " 5\r", 5000},
        {"a day", "1970-01-02", 86400000},
        {"date and time", "2024-02-29T12:30:15Z", UINT64_C(1709209815000)},
        {"a blank between them, no zone", "2024-02-29 12:30:15", UINT64_C(1709209815000)},
        {"without seconds, to the east", "2024-02-29T14:30+02:00", UINT64_C(1709209800000)},
        {"to the west, a fraction", "2024-02-29T05:00:15.5-0730", UINT64_C(1709209815500)},
        {"the end of a century", "2000-12-31T23:59:59Z", UINT64_C(978307199000)},
        {"a leap second", "2016-12-31T23:59:60Z", UINT64_C(1483228800000)},
        {"no leap year", "2023-02-29", UINT64_MAX},
        {"before 1970", "1969-12-31", UINT64_MAX},
        {"before 1970 by its zone", "1970-01-01T00:00+01", UINT64_MAX},
        {"milliseconds", "1700000000000", UINT64_MAX},
        {"negative", "-5", UINT64_MAX},
        {"words behind it", "5 o'clock", UINT64_MAX},
        {"half a zone", "2024-02-29T12:30+0", UINT64_MAX},
        {"hour 24", "2024-02-29T24:00", UINT64_MAX},
        {"nothing", "", UINT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char why[CLI_WHY] = "";
        uint64_t value = 0;
        check_about("%s: %s", rows[i].why, rows[i].text);
        const bool good = cli_read_timestamp(rows[i].text, strlen(rows[i].text), &value, why);
        CHECK(good == (rows[i].milliseconds != UINT64_MAX), "taken or not: %s", why);
        CHECK(!good || value == rows[i].milliseconds, "read as %" PRIu64, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_read),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(rates_are_read),
        cmocka_unit_test(nonsense_is_refused_with_a_sentence),
        cmocka_unit_test(long_nonsense_is_cut_in_its_sentence),
        cmocka_unit_test(secrets_are_32_digits_and_never_repeated),
        cmocka_unit_test(numbers_are_shown_round),
        cmocka_unit_test(windows_are_read),
        cmocka_unit_test(timestamps_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
