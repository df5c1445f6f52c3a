/* info_parts.h - what tamis info tells of filters that are made of others: their
 * layers, sides, shards or generations, and the time of a window.           */
#ifndef CLI_INFO_PARTS_H
#define CLI_INFO_PARTS_H

#include "command.h"

/* "5 generations of kind blocked", for the line about the kind. */
void cli_info_parts_words(const tamis_filter *filter, const tamis_facts *facts, char *out,
                          size_t room);

/* Lines about the window, the shards and the parts, where there are such. */
void cli_info_parts_show(const tamis_filter *filter, const tamis_facts *facts);

/* The keys window, shards and parts of the JSON object that is open; null where
 * there are none. */
void cli_info_parts_json(const tamis_filter *filter);

/* "  name      text" */
void cli_info_line(const char *name, const char *text);

#endif
