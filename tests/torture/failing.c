#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void __libc_free(void *p);

enum {
    TABLE = 1 << 19, /* a power of two */
    MAX_BLOCKS = TABLE / 2,
    KEPT_MAX = 256 * 1024, /* larger blocks are really freed */
    DEPTH = 24,
    FRESH = 0xa5,
    STALE = 0xdd,
};

struct block {
    unsigned char *p;
    size_t size;
    bool freed, gone; /* gone: really freed */
    bool held;        /* allocated by the test for itself */
    void **from;      /* with `show`: the frames that allocated it */
};

static struct block blocks[MAX_BLOCKS + 1]; /* the first one stands for none */
static uint32_t n_blocks, table[TABLE];     /* hashed by address */
static bool watching, showing;
static unsigned long count, n_failed, fail_at, fail_many;
static unsigned n_holds;

void failing_hold(void)
{
    n_holds++;
}

void failing_release(void)
{
    n_holds--;
}

/* ---- where it was ---- */

static void print_frames(void *const *from)
{
    char command[2048];
    size_t len = (size_t)snprintf(command, sizeof command, "addr2line -fsipe /proc/%d/exe", (int)getpid());
    Dl_info info, self;
    if (!dladdr((void *)(uintptr_t)print_frames, &self))
        return;
    for (size_t i = 0; i < DEPTH && from[i] && len < sizeof command - 32; i++)
        if (dladdr(from[i], &info) && info.dli_fbase == self.dli_fbase)
            len += (size_t)snprintf(command + len, sizeof command - len, " %#tx",
                                    (char *)from[i] - 1 - (char *)self.dli_fbase);
    fflush(NULL);
    if (system(command) != 0)
        fprintf(stderr, "no addr2line\n");
}

void failing_print_here(const char *what)
{
    void *from[DEPTH] = { 0 };
    bool was = watching;
    watching = false;
    fprintf(stderr, "%s\n", what);
    backtrace(from, DEPTH);
    print_frames(from);
    watching = was;
}

static void print_block(const struct block *b, const char *what)
{
    fprintf(stderr, "%s: %zu bytes\n", what, b->size);
    if (b->from)
        print_frames(b->from);
}

/* ---- blocks ---- */

/* The row of the table that has `p`, or an empty one. */
static uint32_t *row_of(const void *p)
{
    size_t at = ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 40 & (TABLE - 1);
    while (table[at] && blocks[table[at]].p != p)
        at = (at + 1) & (TABLE - 1);
    return &table[at];
}

static void note_block(unsigned char *p, size_t size)
{
    uint32_t *row = row_of(p);
    if (!*row && n_blocks == MAX_BLOCKS) {
        fprintf(stderr, "too many allocations\n");
        abort();
    }
    if (!*row)
        *row = ++n_blocks;
    struct block *b = &blocks[*row];
    *b = (struct block){ .p = p, .size = size, .held = n_holds > 0 };
    if (showing) {
        watching = false;
        b->from = calloc(DEPTH, sizeof *b->from);
        backtrace(b->from, DEPTH);
        watching = true;
    }
}

static void *get(size_t size)
{
    unsigned char *p = __libc_malloc(size ? size : 1);
    if (p && watching) {
        memset(p, FRESH, size <= KEPT_MAX ? size : 0);
        note_block(p, size);
    }
    return p;
}

static void put(unsigned char *p)
{
    struct block *b = &blocks[*row_of(p)];
    if (!b->p) {
        __libc_free(p); /* from before */
        return;
    }
    if (b->freed) {
        failing_print_here("freed twice, the second time");
        print_block(b, "allocated");
        abort();
    }
    b->freed = true;
    b->gone = b->size > KEPT_MAX;
    if (b->gone)
        __libc_free(p);
    else
        memset(p, STALE, b->size);
}

/* ---- failures ---- */

static bool is_libuv(void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libuv");
}

static bool fails(void *caller)
{
    if (!watching || n_holds)
        return false;
    count++;
    if (!fail_at || count < fail_at || count - fail_at >= fail_many || is_libuv(caller))
        return false;
    if (showing && !n_failed)
        failing_print_here("this allocation fails");
    n_failed++;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : get(n);
}

void *calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || fails(__builtin_return_address(0)))
        return NULL;
    void *p = get(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *realloc(void *old, size_t n)
{
    void *libc_realloc(void *p, size_t size) __asm__("__libc_realloc");
    const struct block *b = old ? &blocks[*row_of(old)] : NULL;
    if (fails(__builtin_return_address(0)))
        return NULL;
    if (b && !b->p)
        return libc_realloc(old, n); /* from before */
    void *p = get(n);
    if (p && b) {
        memcpy(p, old, b->size < n ? b->size : n);
        put(old);
    }
    return p;
}

void free(void *p)
{
    int error = errno;
    if (p)
        put(p);
    errno = error;
}

/* ---- from outside ---- */

void failing_begin(unsigned long at, unsigned long many, bool show)
{
    void *warm[2];
    backtrace(warm, 2); /* loads what it needs */
    fail_at = at;
    fail_many = many;
    showing = show;
    count = n_failed = 0;
    watching = true;
}

unsigned long failing_end(unsigned long *ret_failed)
{
    watching = false;
    *ret_failed = n_failed;
    return count;
}

static bool is_touched(const struct block *b)
{
    for (size_t i = 0; i < b->size; i++)
        if (b->p[i] != STALE)
            return true;
    return false;
}

size_t failing_faults(void)
{
    size_t n = 0;
    for (const struct block *b = blocks + 1; b <= blocks + n_blocks; b++) {
        if (b->gone || (b->freed ? !is_touched(b) : b->held))
            continue;
        print_block(b, b->freed ? "written to after it was freed" : "not freed");
        n++;
    }
    return n;
}
