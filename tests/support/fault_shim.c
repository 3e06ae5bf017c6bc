/*
 * Preloaded into the gateway by the fault campaign, which writes its orders into a shared page (the file FAULT_PAGE):
 * allocations that fail, and a wall clock that jumps. The monotonic clock never jumps. Allocations of libuv never fail:
 * it ends the program itself then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

/* Written by the campaign, but for the two counters. */
struct page {
    int64_t wall_s;     /* added to the wall clock */
    uint64_t fail_skip; /* so many allocations succeed first */
    uint64_t fail_next; /* so many fail then */
    uint64_t failed, allocated;
};

static struct page nothing, *page = &nothing;
static pid_t owner; /* children are left alone */

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULT_PAGE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *p = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return;
    owner = getpid();
    page = p;
}

static int is_libuv(void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libuv");
}

static int fails(void *caller)
{
    page->allocated++;
    if (!page->fail_next)
        return 0;
    if (page->fail_skip) {
        page->fail_skip--;
        return 0;
    }
    if (is_libuv(caller) || getpid() != owner)
        return 0;
    page->fail_next--;
    page->failed++;
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

int clock_gettime(clockid_t clock, struct timespec *ret)
{
    int status = (int)syscall(SYS_clock_gettime, clock, ret);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        ret->tv_sec += page->wall_s;
    return status;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    ret->tv_sec = now.tv_sec;
    ret->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *ret)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (ret)
        *ret = now.tv_sec;
    return now.tv_sec;
}
