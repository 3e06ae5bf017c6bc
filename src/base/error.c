#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *word;
    int rpc_code;
    int exit_status;
} kinds[MCT_ERR_N_KINDS] = {
    [MCT_ERR_NONE] = { "none", 0, 0 },
    [MCT_ERR_USAGE] = { "usage", -32602, 1 },
    [MCT_ERR_CONFIG] = { "config", -32603, 2 },
    [MCT_ERR_AUTH] = { "auth", -32603, 3 },
    [MCT_ERR_CONNECT] = { "connect", -32603, 4 },
    [MCT_ERR_PROTOCOL] = { "protocol", -32603, 4 },
    [MCT_ERR_SERVER] = { "server_error", -32603, 5 },
    [MCT_ERR_TOOL] = { "tool_error", -32603, 5 },
    [MCT_ERR_NOT_FOUND] = { "not_found", -32602, 5 },
    [MCT_ERR_UNSUPPORTED] = { "unsupported", -32601, 5 },
    [MCT_ERR_TIMEOUT] = { "timeout", -32603, 6 },
    [MCT_ERR_POLICY] = { "policy", -32602, 7 },
    [MCT_ERR_PARTIAL] = { "partial", -32603, 8 },
    [MCT_ERR_CANCELLED] = { "cancelled", -32603, 130 },
    [MCT_ERR_LIMIT] = { "limit", -32603, 5 },
    [MCT_ERR_INTERNAL] = { "internal", -32603, 5 },
    [MCT_ERR_NO_MEMORY] = { "no_memory", -32603, 5 },
    [MCT_ERR_INTEGRITY] = { "integrity", -32603, 5 },
};

const char *mct_error_word(enum mct_error_kind kind)
{
    return kinds[kind].word;
}

enum mct_error_kind mcti_error_kind_of(struct mcti_str word)
{
    for (int k = MCT_ERR_NONE + 1; k < MCT_ERR_N_KINDS; k++)
        if (mcti_str_is(word, kinds[k].word))
            return (enum mct_error_kind)k;
    return MCT_ERR_INTERNAL;
}

int mcti_error_rpc_code(const struct mct_error *err)
{
    return err->code ? err->code : kinds[err->kind].rpc_code;
}

int mcti_error_exit_status(enum mct_error_kind kind)
{
    return kinds[kind].exit_status;
}

/* Ends a message before a character (UTF-8) that the end of the buffer has cut. `wanted`: the length of the whole. */
static void error_end_at_character(struct mct_error *err, int wanted)
{
    size_t n = sizeof err->message - 1, at = n;
    if (wanted < 0 || (size_t)wanted <= n)
        return;
    while (at && ((unsigned char)err->message[at - 1] & 0xc0) == 0x80)
        at--;
    unsigned char lead = at ? (unsigned char)err->message[at - 1] : 0;
    size_t whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (at && n - (at - 1) < whole)
        err->message[at - 1] = '\0';
}

int mcti_fail(struct mct_error *err, enum mct_error_kind kind, const char *fmt, ...)
{
    if (!err)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    *err = (struct mct_error){ .kind = kind };
    error_end_at_character(err, vsnprintf(err->message, sizeof err->message, fmt, ap));
    va_end(ap);
    return -1;
}

int mcti_no_memory(struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_NO_MEMORY, "%s", MCT_NO_MEMORY_TEXT);
}

int mcti_error_wrap(struct mct_error *err, const char *fmt, ...)
{
    if (!err)
        return -1;
    struct mct_error old = *err;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->message, sizeof err->message, fmt, ap);
    va_end(ap);
    size_t at = n < 0 ? 0 : (size_t)n, room = at + 3 < sizeof err->message ? sizeof err->message - at - 3 : 0;
    int len = room ? snprintf(err->message + at, sizeof err->message - at, ": %s", old.message) : 0;
    error_end_at_character(err, n < 0 ? n : n + len);
    return -1;
}

/* ---- kept errors ---- */

const struct mct_error mcti_error_none;

#define ERROR_LOST(kind) [kind] = { kind, .message = MCT_NO_MEMORY_TEXT }

/* What is kept of errors for which there was no memory. */
static const struct mct_error lost[MCT_ERR_N_KINDS] = {
    ERROR_LOST(MCT_ERR_USAGE),     ERROR_LOST(MCT_ERR_CONFIG),    ERROR_LOST(MCT_ERR_AUTH),
    ERROR_LOST(MCT_ERR_CONNECT),   ERROR_LOST(MCT_ERR_PROTOCOL),  ERROR_LOST(MCT_ERR_SERVER),
    ERROR_LOST(MCT_ERR_TOOL),      ERROR_LOST(MCT_ERR_NOT_FOUND), ERROR_LOST(MCT_ERR_UNSUPPORTED),
    ERROR_LOST(MCT_ERR_TIMEOUT),   ERROR_LOST(MCT_ERR_POLICY),    ERROR_LOST(MCT_ERR_PARTIAL),
    ERROR_LOST(MCT_ERR_CANCELLED), ERROR_LOST(MCT_ERR_LIMIT),     ERROR_LOST(MCT_ERR_INTERNAL),
    ERROR_LOST(MCT_ERR_NO_MEMORY),
};

static const struct mct_error *error_copy(const struct mct_error *err)
{
    if (!err || !err->kind)
        return &mcti_error_none;
    struct mct_error *copy = malloc(sizeof *copy);
    if (!copy)
        return &lost[err->kind];
    *copy = *err;
    return copy;
}

void mcti_error_keep(const struct mct_error **kept, const struct mct_error *err)
{
    const struct mct_error *old = *kept;
    if (err == old)
        return;
    *kept = error_copy(err);
    if (old != &mcti_error_none && old != &lost[old->kind])
        free((void *)(uintptr_t)old);
}

void mcti_error_keep_new(const struct mct_error **kept, enum mct_error_kind kind, const char *message)
{
    struct mct_error err;
    mcti_fail(&err, kind, "%s", message);
    mcti_error_keep(kept, &err);
}
