// consumer.cpp - the same from C++: every public header must compile there too.
#include "all_headers.h"

#include <cstdio>

int main()
{
    tamis_spec spec = {};
    spec.capacity = 1000;
    spec.fpr = 0.01;
    tamis_filter *f = nullptr;
    if (tamis_create(&spec, &f) != TAMIS_OK) {
        std::fprintf(stderr, "%s\n", tamis_explain());
        return 1;
    }
    tamis_add(f, "user:123", 8);
    bool found = tamis_may_contain(f, "user:123", 8);
    tamis_free(f);
    std::printf("tamis %s from C++\n", tamis_version());
    return found ? 0 : 1;
}
