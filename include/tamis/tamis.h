/* tamis.h - every public door but one.
 *
 * filter.h makes, fills and asks filters; spec.h plans them; keys.h describes
 * batches; combine.h merges and folds; file.h saves and opens; info.h tells
 * what a filter is and what is wrong with it; hash.h names and adds hashes;
 * bitmap.h is for exact sets of integers, which know ranges and order;
 * redisbloom.h for the filters of BF.* and CF.*.
 * <tamis/blocked_view.h>, the inline view for blocked filters, is included by
 * those who want its SIMD code in their own loops.                          */
#ifndef TAMIS_H
#define TAMIS_H

#include <tamis/alloc.h>
#include <tamis/bitmap.h>
#include <tamis/combine.h>
#include <tamis/export.h>
#include <tamis/file.h>
#include <tamis/filter.h>
#include <tamis/hash.h>
#include <tamis/info.h>
#include <tamis/keys.h>
#include <tamis/redisbloom.h>
#include <tamis/spec.h>
#include <tamis/status.h>
#include <tamis/version.h>
#include <tamis/window.h>

#endif
