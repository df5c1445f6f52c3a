/* info_parts.c - see info_parts.h.                                          */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* gmtime_r */
#endif
#include "info_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "paper.h"
#include "show.h"

/* What the parts of a kind are called, one and several. */
static const struct {
    uint32_t kind;
    const char *one, *several;
} parts_words[] = {
    {TAMIS_KIND_TWIN, "side", "sides"},
    {TAMIS_KIND_WINDOW, "generation", "generations"},
    {TAMIS_KIND_SHARDED, "shard", "shards"},
    {TAMIS_KIND_SCALABLE, "layer", "layers"}, /* and of all others */
};

enum { PARTS_WORDS = sizeof parts_words / sizeof parts_words[0] };

static size_t parts_index(uint32_t kind)
{
    size_t i = 0;
    while (i + 1 < PARTS_WORDS && parts_words[i].kind != kind) i++;
    return i;
}

void cli_info_line(const char *name, const char *text)
{
    cli_paper_print("  %-10s%s\n", name, text);
}

void cli_info_parts_words(const tamis_filter *filter, const tamis_facts *facts, char *out,
                          size_t room)
{
    const size_t word = parts_index(facts->kind);
    tamis_shards shards;
    const int used =
        snprintf(out, room, "%" PRIu32 " %s", facts->layers,
                 facts->layers == 1 ? parts_words[word].one : parts_words[word].several);
    size_t at = used > 0 ? (size_t)used : 0;
    if (facts->inner_kind)
        at += (size_t)snprintf(out + at, room - at, " of kind %s",
                               tamis_kind_name(facts->inner_kind));
    if (tamis_shards_of(filter, &shards) == TAMIS_OK && shards.count < shards.shards)
        snprintf(out + at, room - at, ", from %" PRIu32 " on, of %" PRIu32, shards.first,
                 shards.shards);
}

/* ---- windows ------------------------------------------------------------ */

/* The tool's time is in milliseconds since 1970; a program's may be anything. */
static void parts_show_clock(const tamis_window *window)
{
    const time_t seconds = (time_t)(window->now / 1000);
    struct tm utc;
    char when[CLI_SHOWN] = "not started yet", text[160], share[CLI_SHOWN];
    if (window->started && window->now / 1000 < (uint64_t)1 << 40 && gmtime_r(&seconds, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cli_show_time(window->share, share, sizeof share);
    snprintf(text, sizeof text, "%s; a generation lasts %s (times are in milliseconds)", when,
             share);
    cli_info_line("time", text);
}

static void parts_show_window(const tamis_filter *filter)
{
    tamis_window window;
    char keys[CLI_SHOWN], share[CLI_SHOWN], text[160];
    if (tamis_window_of(filter, &window) != TAMIS_OK) return;
    cli_show_whole(window.keys, keys);
    if (window.span) {
        cli_show_time(window.span, share, sizeof share);
        snprintf(text, sizeof text, "the last %s, in which %s keys are expected", share, keys);
    } else {
        cli_show_whole(window.share, share);
        snprintf(text, sizeof text, "the last %s keys; a generation takes %s", keys, share);
    }
    cli_info_line("window", text);
    if (window.span) parts_show_clock(&window);
}

static void parts_json_window(const tamis_filter *filter)
{
    tamis_window window;
    if (tamis_window_of(filter, &window) != TAMIS_OK) {
        cli_json_none("window");
        return;
    }
    cli_json_begin_object("window");
    cli_json_whole("generations", window.generations);
    cli_json_whole("span", window.span);
    cli_json_whole("keys", window.keys);
    cli_json_whole("share", window.share);
    if (window.started)
        cli_json_whole("now", window.now);
    else
        cli_json_none("now");
    cli_json_end_object();
}

static void parts_json_shards(const tamis_filter *filter)
{
    tamis_shards shards;
    if (tamis_shards_of(filter, &shards) != TAMIS_OK) {
        cli_json_none("shards");
        return;
    }
    cli_json_begin_object("shards");
    cli_json_whole("shards", shards.shards);
    cli_json_whole("first", shards.first);
    cli_json_whole("count", shards.count);
    cli_json_end_object();
}

/* ---- one part after the other ------------------------------------------- */

static void parts_show_one(const char *name, const tamis_facts *f)
{
    char capacity[CLI_SHOWN], keys[CLI_SHOWN], size[CLI_SHOWN], rate[CLI_SHOWN], text[200];
    cli_show_whole(f->capacity, capacity);
    cli_show_estimate(f->keys, keys);
    cli_show_bytes((f->bits + 7) / 8, size, sizeof size);
    cli_show_percent(f->fpr_now, 3, rate);
    snprintf(text, sizeof text, "about %s of %s keys, %s, a rate of %s now", keys, capacity, size,
             rate);
    cli_info_line(name, text);
}

/* Of many equal ones, how even they are. */
static void parts_show_range(const tamis_filter *filter, const tamis_facts *facts)
{
    double least = INFINITY, most = 0;
    char low[CLI_SHOWN], high[CLI_SHOWN], text[160];
    tamis_facts part;
    for (uint32_t i = 0; i < facts->layers; i++) {
        const tamis_filter *view = tamis_layer_view(filter, i);
        if (!view || tamis_info(view, &part) != TAMIS_OK) return;
        least = fmin(least, part.keys);
        most = fmax(most, part.keys);
    }
    cli_show_estimate(least, low);
    cli_show_estimate(most, high);
    snprintf(text, sizeof text, "about %s to %s keys in each", low, high);
    cli_info_line("shards", text);
}

static void parts_name(const tamis_facts *facts, uint32_t index, char *out, size_t room)
{
    const bool first = index == 0, last = index + 1 == facts->layers;
    if (facts->kind == TAMIS_KIND_TWIN)
        snprintf(out, room, "%s", first ? "added" : "removed");
    else if (facts->kind == TAMIS_KIND_WINDOW && (first || last))
        snprintf(out, room, "%s", first ? "oldest" : "newest");
    else
        snprintf(out, room, "%s %" PRIu32, facts->kind == TAMIS_KIND_WINDOW ? "age" : "layer",
                 index + 1);
}

void cli_info_parts_show(const tamis_filter *filter, const tamis_facts *facts)
{
    const tamis_filter *view;
    tamis_facts part;
    char name[CLI_SHOWN];
    parts_show_window(filter);
    if (facts->kind == TAMIS_KIND_SHARDED) {
        parts_show_range(filter, facts);
        return;
    }
    for (uint32_t i = 0; facts->layers > 1 && (view = tamis_layer_view(filter, i)); i++) {
        tamis_info(view, &part);
        parts_name(facts, i, name, sizeof name);
        parts_show_one(name, &part);
    }
}

static void parts_json_one(const tamis_filter *view)
{
    tamis_facts f;
    tamis_info(view, &f);
    cli_json_begin_object(NULL);
    cli_json_text("kind", f.kind_name);
    cli_json_whole("capacity", f.capacity);
    cli_json_whole("bits", f.bits);
    cli_json_whole("added", f.added);
    cli_json_real("keys", f.keys);
    cli_json_real("fill", f.fill);
    cli_json_real("fpr_asked", f.fpr_asked);
    cli_json_real("fpr_now", f.fpr_now);
    cli_json_end_object();
}

void cli_info_parts_json(const tamis_filter *filter)
{
    const tamis_filter *view;
    parts_json_window(filter);
    parts_json_shards(filter);
    cli_json_begin_array("parts");
    for (uint32_t i = 0; (view = tamis_layer_view(filter, i)); i++) parts_json_one(view);
    cli_json_end_array();
}
