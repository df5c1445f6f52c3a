/* fuzz_load.c - any bytes through every door that reads.
 *
 * The first byte chooses: bit 0 repairs the header's checksum, so that what
 * lies behind it is reached; bits 1 to 3 are salvage, lazy and concurrent. The
 * rest is the file. Whatever is accepted must answer, describe itself and
 * survive being written and read again.                                     */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "format/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load_require(bool held)
{
    if (!held) abort();
}

static void load_use(const tamis_filter *f)
{
    tamis_facts facts;
    tamis_finding findings[4];
    bool answers[3];
    const uint64_t numbers[3] = {0, 1, UINT64_MAX};
    const tamis_keys keys = tamis_keys_u64(numbers, 3);
    load_require(tamis_info(f, &facts) == TAMIS_OK);
    load_require(tamis_diagnose(f, findings, 4) >= 1);
    load_require(tamis_may_contain_many(f, &keys, answers) <= 3);
    for (size_t i = 0; i < 3; i++) load_require(answers[i] == tamis_may_contain_u64(f, numbers[i]));
}

/* What was accepted is written to the same bytes it is read from again. */
static void load_round_trip(tamis_filter *f)
{
    tamis_filter *again;
    size_t size = (size_t)tamis_encoded_size(f);
    uint8_t *first = malloc(size), *second = malloc(size);
    load_require(first && second);
    load_require(tamis_encode(f, first, size) == TAMIS_OK);
    load_require(tamis_load(first, size, NULL, &again) == TAMIS_OK);
    load_require(tamis_encoded_size(again) == size);
    load_require(tamis_encode(again, second, size) == TAMIS_OK);
    load_require(memcmp(first, second, size) == 0);
    free(first);
    free(second);
    tamis_free(again);
}

static void load_change(tamis_filter *f)
{
    tamis_status status = tamis_add_u64(f, 42);
    if (status == TAMIS_OK) load_require(tamis_may_contain_u64(f, 42));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    tamis_open_options options = {.memory = (uint64_t)1 << 24};
    if (data[0] & 2) options.flags |= TAMIS_OPEN_SALVAGE;
    if (data[0] & 4) options.flags |= TAMIS_OPEN_LAZY;
    if (data[0] & 8) options.behaviour = TAMIS_CONCURRENT;
    size_t length = size - 1;
    uint8_t *bytes = malloc(length + 1);
    uint64_t header;
    load_require(bytes != NULL);
    memcpy(bytes, data + 1, length);
    if (data[0] & 1 && tms_envelope_peek(bytes, length, &header) == TAMIS_OK && header <= length)
        (void)tms_envelope_seal(bytes, (size_t)header);
    tamis_filter *f;
    if (tamis_load(bytes, length, &options, &f) == TAMIS_OK) {
        load_use(f);
        load_round_trip(f);
        load_change(f);
        tamis_free(f);
    }
    if (tamis_view(bytes, length, &options, &f) == TAMIS_OK) {
        load_use(f);
        tamis_free(f);
    }
    free(bytes);
    return 0;
}
