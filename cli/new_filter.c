/* new_filter.c - see new_filter.h.                                          */
#include "new_filter.h"

#include <string.h>

#include "filter_files.h"
#include "key_stream.h"
#include "show.h"
#include "spec.h"
#include "words.h"

/* Keys of the first layer of a filter that grows: large enough to have few
 * layers at a billion keys, small enough for a file of a thousand. */
static const uint64_t new_first_capacity = 1 << 18;

/* A secret of the environment is for hashes that take one. */
static bool new_wants_secret(const cli_settings *settings)
{
    return settings->secret_file || !settings->hash || strcmp(settings->hash, "siphash") == 0;
}

static int new_read_spec(const cli_settings *settings, uint8_t secret[16], tamis_spec *spec)
{
    bool given;
    if (cli_read_secret(settings, secret, &given) != CLI_YES) return CLI_ERROR;
    if (cli_read_spec(settings, spec) != CLI_YES) return CLI_ERROR;
    if (given && new_wants_secret(settings)) spec->secret = secret;
    spec->needs = TAMIS_CAN_ADD;
    return CLI_YES;
}

/* Fills in what the flags leave open. */
static int new_settle_size(const cli_settings *settings, cli_input *input, cli_sizing_habit habit,
                           tamis_spec *spec)
{
    if (tamis_kind_abilities(spec->kind) & TAMIS_IS_EXACT) return CLI_YES; /* nothing is open */
    const bool forgets = spec->kind == TAMIS_KIND_WINDOW;
    bool open = !spec->capacity && spec->growth == TAMIS_GROWTH_FIXED;
    if (open && input->countable && !habit.stays) {
        if (cli_stream_count(input, settings, &spec->capacity) != CLI_YES) return CLI_ERROR;
        if (spec->capacity == 0) spec->capacity = 1;
    } else if (open && !spec->memory && forgets) {
        return cli_complain("how many keys come within the window? they cannot be counted here: "
                            "give --capacity, or --memory");
    } else if (open && !spec->memory) {
        spec->growth = TAMIS_GROWTH_SCALE;
    }
    if (!spec->capacity && spec->growth == TAMIS_GROWTH_SCALE) spec->capacity = new_first_capacity;
    if (!(spec->fpr > 0) && !(spec->capacity && spec->memory)) spec->fpr = habit.fpr;
    return CLI_YES;
}

int cli_new_filter(const cli_settings *settings, cli_input *input, cli_sizing_habit habit,
                   tamis_sizing *sizing, tamis_filter **out)
{
    uint8_t secret[TAMIS_HASH_SECRET_BYTES];
    tamis_spec spec;
    *out = NULL;
    if (new_read_spec(settings, secret, &spec) != CLI_YES) return CLI_ERROR;
    if (new_settle_size(settings, input, habit, &spec) != CLI_YES) return CLI_ERROR;
    if (tamis_plan(&spec, sizing) != TAMIS_OK || tamis_create(&spec, out) != TAMIS_OK)
        return cli_complain("%s", tamis_explain());
    return cli_check_integers(settings, *out, settings->kind);
}

/* A window holds keys that are past it, too: how many are too many, the rate tells. */
static bool new_is_overfull(const tamis_facts *facts)
{
    if (facts->abilities & TAMIS_IS_EXACT) return false;
    if (facts->abilities & TAMIS_CAN_FORGET) return facts->fpr_now > 1.2 * facts->fpr_asked;
    return facts->keys > 1.05 * (double)facts->capacity + 10;
}

void cli_remark_overfull(const tamis_facts *facts)
{
    char keys[CLI_SHOWN], capacity[CLI_SHOWN], asked[CLI_SHOWN], now[CLI_SHOWN];
    const bool forgets = (facts->abilities & TAMIS_CAN_FORGET) != 0;
    if (!new_is_overfull(facts)) return;
    cli_show_estimate(facts->keys, keys);
    cli_show_whole(facts->capacity, capacity);
    cli_show_rate(facts->fpr_asked, asked, sizeof asked);
    cli_show_rate(facts->fpr_now, now, sizeof now);
    cli_remark("the filter was planned for %s keys%s and holds about %s: its rate is %s, not %s; "
               "use a larger -n%s",
               capacity, forgets ? " within a window" : "", keys, now, asked,
               forgets ? "" : ", or --scale");
}
