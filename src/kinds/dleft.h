/* dleft.h - the d-left counting filter's table.                             */
#ifndef TMS_KINDS_DLEFT_H
#define TMS_KINDS_DLEFT_H

#include "kinds/kind.h"

extern const tms_kind tms_dleft_kind;

#endif
