#include "base/memory.h"

#include <stdatomic.h>

static atomic_ulong memory_failures;

unsigned long mcti_memory_failures(void)
{
    return atomic_load_explicit(&memory_failures, memory_order_relaxed);
}

void mcti_memory_note(void)
{
    atomic_fetch_add_explicit(&memory_failures, 1, memory_order_relaxed);
}
