/* twin.h - a filter of added keys and one of removed keys.                  */
#ifndef TMS_COMPOSE_TWIN_H
#define TMS_COMPOSE_TWIN_H

#include "kinds/kind.h"

extern const tms_kind tms_twin_kind;

#endif
