/* utf8.c - see utf8.h.                                                      */
#include "utf8.h"

size_t cli_utf8_size(const uint8_t *text, size_t size)
{
    uint8_t first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4 || length == 0 || length > size) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && text[1] < 0xa0) return 0;
    if (first == 0xed && text[1] > 0x9f) return 0;
    if (first == 0xf0 && text[1] < 0x90) return 0;
    if (first == 0xf4 && text[1] > 0x8f) return 0;
    return length;
}

/* U+0080 to U+009F are control characters too. */
static bool utf8_is_control(const uint8_t *text)
{
    return text[0] < ' ' || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

bool cli_utf8_is_plain(const void *bytes, size_t size)
{
    const uint8_t *text = bytes;
    for (size_t i = 0; i < size;) {
        size_t length = cli_utf8_size(text + i, size - i);
        if (length == 0 || utf8_is_control(text + i)) return false;
        i += length;
    }
    return true;
}
