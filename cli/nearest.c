/* nearest.c - see nearest.h.                                                */
#include "nearest.h"

#include <string.h>

enum { NEAREST_LONGEST = 40 }; /* longer words are not compared */

static size_t nearest_least(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* The distance of Damerau and Levenshtein: characters inserted, left out,
 * changed, or swapped with their neighbour. */
static size_t nearest_distance(const char *a, const char *b)
{
    size_t rows[3][NEAREST_LONGEST + 1], width = strlen(b);
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= width; j++) last[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        now[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t changed = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = nearest_least(changed, last[j] + 1, now[j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[width];
}

/* A third of the word may be wrong, and a beginning is always a good guess. */
static size_t nearest_judge(const char *typed, const char *word)
{
    size_t length = strlen(typed);
    if (length > NEAREST_LONGEST || strlen(word) > NEAREST_LONGEST) return NEAREST_LONGEST;
    size_t distance = nearest_distance(typed, word);
    if (length >= 2 && strncmp(typed, word, length) == 0) return distance > 0;
    return distance * 3 <= length + 1 ? distance : NEAREST_LONGEST;
}

cli_nearest cli_nearest_to(const char *typed)
{
    cli_nearest nearest = {.typed = typed, .distance = NEAREST_LONGEST};
    return nearest;
}

void cli_nearest_offer(cli_nearest *nearest, const char *word)
{
    size_t distance = nearest_judge(nearest->typed, word);
    if (distance >= nearest->distance) return;
    nearest->best = word;
    nearest->distance = distance;
}
