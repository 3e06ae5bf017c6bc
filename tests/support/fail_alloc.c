/*
 * Preloaded into a program: makes allocations fail. In the environment:
 *
 *   FAIL_AT=n    the n-th allocation of the process fails, counted from 1; 0: none does
 *   FAIL_FOR=m   m allocations in a row fail from there on (1)
 *   FAIL_TELL=F  the file F gets the number of allocations at the end
 *
 * Allocations of libuv never fail: it ends the program itself then. glibc only: its own names of the functions lead to
 * the real ones.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static atomic_ulong count;
static unsigned long fail_at, fail_for = 1;

static unsigned long number(const char *variable, unsigned long otherwise)
{
    const char *value = getenv(variable);
    return value ? strtoul(value, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void)
{
    fail_at = number("FAIL_AT", 0);
    fail_for = number("FAIL_FOR", 1);
    atomic_store(&count, 0);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_TELL");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "%lu\n", atomic_load(&count));
    close(fd);
}

static int is_libuv(void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libuv");
}

static int fails(void *caller)
{
    unsigned long n = atomic_fetch_add(&count, 1) + 1;
    if (!fail_at || n < fail_at || n - fail_at >= fail_for || is_libuv(caller))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}
