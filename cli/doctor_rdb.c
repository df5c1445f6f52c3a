/* doctor_rdb.c - see doctor_rdb.h.                                          */
#include "doctor_rdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tamis/redisbloom.h>

#include "json.h"
#include "paper.h"
#include "show.h"
#include "words.h"

bool cli_is_rdb(const char *file)
{
    char first[16];
    FILE *stream = strcmp(file, "-") == 0 ? NULL : fopen(file, "rb");
    if (!stream) return false;
    size_t size = fread(first, 1, sizeof first, stream);
    fclose(stream);
    return tamis_rdb_detect(first, size);
}

/* What people call the types that come with RedisBloom and its relatives. */
static const char *rdb_common_name(const char *type)
{
    static const struct {
        const char *type, *name;
    } names[] = {
        {"MBbloom--", "Bloom filter"},     {"MBbloomCF", "cuckoo filter"},
        {"CMSk-TYPE", "count-min sketch"}, {"TopK-TYPE", "Top-K"},
        {"TDIS-TYPE", "t-digest"},         {"bloomfltr", "Bloom filter of valkey-bloom"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].type, type) == 0) return names[i].name;
    return "of another module";
}

static bool rdb_all_load(const tamis_rdb_report *report)
{
    bool all = report->complete && report->broken == 0;
    for (uint32_t i = 0; i < report->type_count; i++) all = all && report->types[i].loads;
    return all;
}

static void rdb_json(const char *file, const tamis_rdb_report *report)
{
    cli_json_begin_object(NULL);
    cli_json_text("file", file);
    cli_json_truth("healthy", rdb_all_load(report));
    cli_json_whole("rdb_version", report->rdb_version);
    cli_json_whole("keys", report->keys);
    cli_json_whole("module_keys", report->module_keys);
    cli_json_whole("broken", report->broken);
    cli_json_truth("complete", report->complete);
    cli_json_begin_array("types");
    for (uint32_t i = 0; i < report->type_count; i++) {
        const tamis_rdb_type *type = &report->types[i];
        cli_json_begin_object(NULL);
        cli_json_text("type", type->name);
        cli_json_whole("encver", type->encver);
        cli_json_whole("keys", type->keys);
        cli_json_truth("loads", type->loads);
        cli_json_end_object();
    }
    cli_json_end_array();
    cli_json_end_object();
}

static void rdb_show_type(const tamis_rdb_type *type)
{
    char keys[CLI_SHOWN];
    cli_show_whole(type->keys, keys);
    if (type->keys == 0) snprintf(keys, sizeof keys, "data beside the");
    cli_paper_print("  %s: %s key%s of type %s (%s, version %" PRIu32 ")\n",
                    type->loads ? "loads" : "warning", keys, type->keys == 1 ? "" : "s", type->name,
                    rdb_common_name(type->name), type->encver);
    if (!type->loads)
        cli_paper_print("    try    keep the module that wrote them, or delete these keys before "
                        "the dump is made:\n           a server without it does not load the "
                        "file\n");
}

static void rdb_show(const char *file, const tamis_rdb_report *report)
{
    char keys[CLI_SHOWN], modules[CLI_SHOWN], broken[CLI_SHOWN];
    cli_show_whole(report->keys, keys);
    cli_show_whole(report->module_keys, modules);
    cli_show_whole(report->broken, broken);
    cli_paper_print("%s: RDB version %" PRIu32 ", %s keys, %s of modules\n", file,
                    report->rdb_version, keys, modules);
    for (uint32_t i = 0; i < report->type_count; i++) rdb_show_type(&report->types[i]);
    if (report->broken)
        cli_paper_print("  problem: %s of the filters make no sense and will be kept aside, "
                        "unusable\n",
                        broken);
    if (!report->complete)
        cli_paper_print("  warning: the rest of the file was not looked at: %s\n",
                        report->stopped_at);
    if (rdb_all_load(report)) cli_paper_text("  healthy: nothing to do\n");
}

int cli_doctor_rdb(const cli_settings *settings, const char *file)
{
    static tamis_rdb_report report;
    if (tamis_rdb_scan(file, &report) != TAMIS_OK) return cli_complain_of(file);
    if (settings->json)
        rdb_json(file, &report);
    else
        rdb_show(file, &report);
    return rdb_all_load(&report) ? CLI_YES : CLI_NO;
}
