#include "base/memory.h"

#include <stdatomic.h>

static atomic_ulong failures;

unsigned long mct_memory_failures(void)
{
    return atomic_load_explicit(&failures, memory_order_relaxed);
}

void mct_memory_note(void)
{
    atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
}
