/* fuzz_cli_number.c - any text as a number: taken within its range, or refused
 * with a sentence; and what is shown of it fits its room.                   */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/number.c"
#include "../cli/timestamp.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void number_require(bool held)
{
    if (!held) abort();
}

static void number_require_sentence(const char *why)
{
    number_require(why[0] != '\0' && memchr(why, '\0', CLI_WHY) != NULL);
}

static void number_try_wholes(const char *text)
{
    char why[CLI_WHY] = "", shown[24];
    uint64_t value = 0;
    if (cli_parse_count(text, &value, why))
        number_require(value < UINT64_C(1) << 63);
    else
        number_require_sentence(why);
    why[0] = '\0';
    if (cli_parse_bytes(text, &value, why))
        number_require(value < UINT64_C(1) << 63);
    else
        number_require_sentence(why);
    cli_show_bytes(value, shown, sizeof shown);
    cli_show_count((double)value, shown, sizeof shown);
}

static void number_try_reals(const char *text)
{
    char why[CLI_WHY] = "", shown[24];
    double value = 0;
    if (cli_parse_rate(text, &value, why))
        number_require(value > 0 && value < 1);
    else
        number_require_sentence(why);
    cli_show_rate(value, shown, sizeof shown);
    why[0] = '\0';
    if (cli_parse_real(text, &value, why))
        number_require(isfinite(value) && value >= 0);
    else
        number_require_sentence(why);
}

static void number_try_times(const char *text, size_t size)
{
    char why[CLI_WHY] = "", shown[40];
    cli_window window;
    uint64_t time;
    if (cli_parse_window(text, &window, why))
        number_require((window.keys > 0) != (window.milliseconds > 0));
    else
        number_require_sentence(why);
    cli_show_time(window.milliseconds, shown, sizeof shown);
    why[0] = '\0';
    if (cli_read_timestamp(text, size, &time, why))
        number_require(time < UINT64_C(1) << 48);
    else
        number_require_sentence(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t secret[16];
    char why[CLI_WHY] = "";
    char *text = malloc(size + 1);
    number_require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    number_try_wholes(text);
    number_try_reals(text);
    number_try_times(text, size);
    if (!cli_parse_secret(text, secret, why)) number_require_sentence(why);
    free(text);
    return 0;
}
