/* result.c - see result.h.                                                  */
#include "result.h"

#include <string.h>

#include "json.h"
#include "words.h"

void cli_json_result(const tamis_facts *facts)
{
    cli_json_text("kind", facts->kind_name);
    cli_json_whole("bits", facts->bits);
    cli_json_whole("capacity", facts->capacity);
    cli_json_real("keys", facts->keys);
    cli_json_real("keys_low", facts->keys_low);
    cli_json_real("keys_high", facts->keys_high);
    cli_json_real("fpr_asked", facts->fpr_asked);
    cli_json_real("fpr", facts->fpr_now);
    cli_json_real("fill", facts->fill);
}

int cli_set_note(const cli_settings *settings, tamis_filter *filter)
{
    if (!settings->note ||
        tamis_set_metadata(filter, settings->note, strlen(settings->note)) == TAMIS_OK)
        return CLI_YES;
    return cli_complain("--note: %s", tamis_explain());
}
