/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Allocations that fail on purpose. Programs of `make faults` are linked so that all calls that our
 * own objects make to the functions in wrap.c come here first, those of jansson too (but for its
 * reader, see wrap.c). What other libraries ask for inside is not touched: libconfig 1.5 does not
 * check its allocations.
 *
 * In a program with SVCROUTE_FAULT_FILE in its environment SIGUSR2 reads that file: "N" makes the
 * Nth allocation from then on fail, "N+" that and all after it, "0" none. What it replaced is
 * written to FILE.done: "CALLS FAILED".
 */

/* Counts from 1. at 0: only counts. */
void faults_start(uint64_t at, bool all);
void faults_stop(void);
/* Neither counts nor fails meanwhile. */
void faults_pause(bool pause);
/* Since the last start. */
uint64_t faults_calls(void);
uint64_t faults_failed(void);
/* Blocks that were given out and not yet given back; only the difference of two says something. */
int64_t faults_balance(void);
/* Whether the stack of each allocation that fails is printed, for finding out which it was. */
void faults_set_trace(bool trace);
