/*
 * A transcript of tests/flow, changed: the whole gateway between servers and clients that say anything in any order.
 * Nothing needs to come as the transcript says, but all that comes is JSON, no request is answered twice, and nothing
 * stays charged. The mutator works on lines, so that most inputs remain transcripts.
 */
#include "flow/run_flow.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void must(const char *wrong)
{
    if (!wrong)
        return;
    fprintf(stderr, "%s\n", wrong);
    abort();
}

/* Returns true for a line of the host program or of a hook: what these say is ours, and valid. */
static bool is_ours(const char *line, size_t len)
{
    static const char *const ours[] = { "call ",  "answer ",  "refuse ", "subscribe ", "unsubscribe ",
                                        "level ", "freshen ", "hook ",   "hooked ",    "decide " };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (len >= strlen(ours[i]) && !memcmp(line, ours[i], strlen(ours[i])))
            return true;
    return false;
}

static void put_lines(int fd, const char *at, const char *end)
{
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t len = (size_t)((stop ? stop + 1 : end) - at);
        if (!is_ours(at, len) && write(fd, at, len) != (ssize_t)len)
            must(strerror(errno));
        at += len;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct flow_tally tally;
    char path[32];
    int fd = memfd_create("flow", MFD_CLOEXEC);
    if (fd < 0)
        must(strerror(errno));
    put_lines(fd, (const char *)data, (const char *)data + size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    memset(&tally, 0, sizeof tally);
    must(flow_run(path, &tally));
    close(fd);
    if (tally.bad_frame)
        must("a message that is no JSON");
    for (unsigned i = 0; i < tally.n; i++)
        if (tally.v[i].n_answered > tally.v[i].n_asked && tally.n < FLOW_REQUESTS)
            must("more answers than requests");
    return 0;
}

/* ---- the mutator ---- */

static const char *const words[] = {
    "null",
    "-1",
    "0",
    "1e400",
    "9007199254740993",
    "\"\"",
    "{}",
    "[]",
    "\"\\u0000\"",
    "true",
    "\"1\"",
    "\"2026-07-28\"",
    "\"2025-06-18\"",
    "\"t\"",
    "\"method\"",
    "\"id\"",
    "\"_meta\"",
    "\"requestState\":",
    "\"inputResponses\":",
    "\"progressToken\":1,",
    "\"cursor\":\"x\"",
    "\"resultType\":\"input_required\"",
    "\"ttlMs\":1",
    "wait 61000\n",
    "quiet\n",
    "a closes\n",
};

struct line {
    uint8_t *begin;
    size_t len; /* with its end */
};

static struct line pick(uint8_t *data, size_t size, unsigned *seed)
{
    uint8_t *at = data + (size ? (size_t)rand_r(seed) % size : 0), *end = data + size;
    while (at > data && at[-1] != '\n')
        at--;
    const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
    return (struct line){ at, (size_t)((stop ? stop + 1 : end) - at) };
}

/* Inserts `n` bytes of `from`, which may be a part of the data, at `at`. Returns the new size. */
static size_t insert(uint8_t *data, size_t size, size_t at, const void *from, size_t n)
{
    uint8_t copy[4096];
    n = n < sizeof copy ? n : sizeof copy;
    memcpy(copy, from, n);
    memmove(data + at + n, data + at, size - at);
    memcpy(data + at, copy, n);
    return size + n;
}

static size_t remove_line(uint8_t *data, size_t size, struct line l)
{
    memmove(l.begin, l.begin + l.len, (size_t)(data + size - l.begin) - l.len);
    return size - l.len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct line l = pick(data, size, &seed);
    const size_t at = (size_t)(l.begin - data);
    const char *word = words[(size_t)rand_r(&seed) % (sizeof words / sizeof *words)];
    switch (rand_r(&seed) % 6) {
    case 0:
        return size > l.len ? remove_line(data, size, l) : size;
    case 1:
    case 2:
        if (size + l.len > max_size || l.len > 4096)
            break;
        return insert(data, size, (size_t)(pick(data, size, &seed).begin - data), l.begin, l.len);
    case 3:
    case 4:
        if (size + strlen(word) > max_size)
            break;
        return insert(data, size, at + (l.len ? (size_t)rand_r(&seed) % l.len : 0), word, strlen(word));
    default:
        break;
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
