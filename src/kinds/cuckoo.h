/* cuckoo.h - the cuckoo filter's table.                                     */
#ifndef TMS_KINDS_CUCKOO_H
#define TMS_KINDS_CUCKOO_H

#include "kinds/kind.h"

extern const tms_kind tms_cuckoo_kind;

#endif
