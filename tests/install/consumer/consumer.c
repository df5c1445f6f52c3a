/* consumer.c - a program of somebody else: includes every public header
 * (all_headers.h lists them) and makes, fills and asks a filter.            */
#include "all_headers.h"

#include <stdio.h>

int main(void)
{
    tamis_spec spec = {.capacity = 1000, .fpr = 0.01};
    tamis_filter *f;
    if (tamis_create(&spec, &f) != TAMIS_OK) {
        fprintf(stderr, "%s\n", tamis_explain());
        return 1;
    }
    tamis_add(f, "user:123", 8);
    bool found = tamis_may_contain(f, "user:123", 8);
    tamis_free(f);
    printf("tamis %s from C\n", tamis_version());
    return found ? 0 : 1;
}
