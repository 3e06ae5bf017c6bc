#include "cli/show/sandbox.h"

#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>

enum { INDENT = 12 };

static void sandbox_print_line(const struct mcti_app *app, const char *label, struct mcti_buf *text)
{
    mcti_out(app, "  %-9s ", label);
    mcti_out_wrapped(app, MCT_PLAIN, INDENT, INDENT, mcti_buf_str(text));
    putchar('\n');
    mcti_buf_clear(text);
}

/* Appends the texts of a list, behind `between`. */
static void sandbox_put_list(struct mcti_buf *to, struct mcti_str list, const char *between)
{
    struct mcti_str item;
    bool first = true;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); first = false) {
        char *text = mcti_json_dup(item);
        mcti_buf_addz(to, first ? "" : between);
        mcti_buf_addz(to, text ? text : "?");
        free(text);
    }
}

static void sandbox_put_limit(struct mcti_buf *to, struct mcti_str limit, const char *key, const char *unit)
{
    struct mcti_str number = mcti_json_get(limit, key);
    if (!number.p)
        return;
    mcti_buf_printf(to, "; %.*s %s", MCT_STR_ARG(number), unit);
    if (mcti_json_is(mcti_json_get(limit, "by"), "rlimit"))
        mcti_buf_addz(to, mcti_json_get(limit, "each").p ? " for each process" : " by rlimit");
    else
        mcti_buf_addz(to, " by cgroup");
}

static void sandbox_put_summary(struct mcti_buf *to, struct mcti_str sandbox)
{
    char *mode = mcti_json_dup(mcti_json_get(sandbox, "mode"));
    char *network = mcti_json_dup(mcti_json_get(sandbox, "network"));
    struct mcti_str abi = mcti_json_get(sandbox, "landlock"), allow = mcti_json_get(sandbox, "allow");
    mcti_buf_addz(to, mode ? mode : "?");
    if (!mcti_str_is(abi, "0"))
        mcti_buf_printf(to, "; files by Landlock (ABI %.*s)", MCT_STR_ARG(abi));
    if (mcti_json_true(mcti_json_get(sandbox, "seccomp")))
        mcti_buf_addz(to, "; system calls by seccomp");
    mcti_buf_printf(to, "; network: %s", network ? network : "?");
    sandbox_put_limit(to, mcti_json_get(sandbox, "memory"), "bytes", "bytes of memory");
    sandbox_put_limit(to, mcti_json_get(sandbox, "processes"), "number", "processes");
    if (allow.p) {
        mcti_buf_addz(to, "; allowed: ");
        sandbox_put_list(to, allow, ", ");
    }
    free(mode);
    free(network);
}

void mcti_sandbox_print(const struct mcti_app *app, struct mcti_str sandbox)
{
    static const char *const lists[][2] = {
        { "peers", "reaches:" }, { "write", "changes:" }, { "read", "reads:" }, { "absent", "absent:" }
    };
    struct mcti_str item;
    struct mcti_buf text;
    if (!sandbox.p)
        return;
    mcti_buf_init(&text, 1u << 20);
    sandbox_put_summary(&text, sandbox);
    sandbox_print_line(app, "sandbox:", &text);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        sandbox_put_list(&text, mcti_json_get(sandbox, lists[i][0]), " ");
        if (text.len)
            sandbox_print_line(app, lists[i][1], &text);
    }
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(sandbox, "lacks")); mcti_json_next_item(&it, &item);) {
        char *lack = mcti_json_dup(item);
        mcti_buf_addz(&text, lack ? lack : "");
        sandbox_print_line(app, "lacks:", &text);
        free(lack);
    }
    mcti_buf_done(&text);
}
