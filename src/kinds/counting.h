/* counting.h - the counting Bloom filter's table.                           */
#ifndef TMS_KINDS_COUNTING_H
#define TMS_KINDS_COUNTING_H

#include "kinds/kind.h"

extern const tms_kind tms_counting_kind;

#endif
