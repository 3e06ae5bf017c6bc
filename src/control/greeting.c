#include "control/greeting.h"

#include "json/write.h"

#include <stdlib.h>

enum { DEPTH = 64 };

void mcti_greeting_put(struct mcti_buf *to, const struct mcti_greeting *g)
{
    mcti_buf_addz(to, "{\"mcptools\":1");
    mcti_json_put_member(to, "want", mcti_str_of(g->server ? "server" : "control"));
    if (g->server) {
        mcti_json_put_member(to, "server", mcti_str_of(g->server));
        mcti_json_put_key(to, "waitMs");
        mcti_buf_addu(to, g->wait_ms);
    }
    mcti_buf_addz(to, "}\n");
}

bool mcti_line_is_object(struct mcti_str line)
{
    return line.len >= 2 && line.p[0] == '{' && line.p[line.len - 1] == '}' && mcti_json_valid(line, DEPTH, NULL, NULL);
}

static bool greeting_uint(struct mcti_str object, const char *key, uint64_t *ret)
{
    struct mcti_str value = mcti_json_get(object, key);
    return value.p && mcti_json_uint(value, ret);
}

int mcti_greeting_read(struct mcti_str line, struct mcti_greeting *ret, struct mct_error *err)
{
    uint64_t version = 0, wait_ms = 0;
    *ret = (struct mcti_greeting){ 0 };
    if (!mcti_line_is_object(line) || !greeting_uint(line, "mcptools", &version) || version != 1)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the first line must be {\"mcptools\":1,\"want\":…}");
    if (mcti_json_is(mcti_json_get(line, "want"), "control"))
        return 0;
    if (!mcti_json_is(mcti_json_get(line, "want"), "server"))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "\"want\" must be \"control\" or \"server\"");
    ret->server = mcti_json_dup(mcti_json_get(line, "server"));
    greeting_uint(line, "waitMs", &wait_ms);
    ret->wait_ms = wait_ms > INT32_MAX ? INT32_MAX : (unsigned)wait_ms;
    return ret->server ? 0 : mcti_fail(err, MCT_ERR_PROTOCOL, "\"server\" must be a name");
}

void mcti_answer_put_error(struct mcti_buf *to, const struct mct_error *err)
{
    mcti_json_put_key(to, "error");
    mcti_buf_printf(to, "{\"code\":%d", mcti_error_rpc_code(err));
    mcti_json_put_fault(to, err->kind, err->message);
    mcti_buf_addc(to, '}');
}

int mcti_answer_check(struct mcti_str line, struct mct_error *err)
{
    struct mcti_str error, kind = MCT_STR("");
    struct mcti_buf text;
    if (!mcti_line_is_object(line))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the running gateway sent a line that is not an answer");
    error = mcti_json_get(line, "error");
    if (!error.p)
        return 0;
    mcti_buf_init(&text, 1u << 16);
    mcti_json_unescape_any(mcti_json_get(error, "message"), &text);
    mcti_json_plain(mcti_json_get(error, "kind"), &kind);
    mcti_fail(err, mcti_error_kind_of(kind), "%.*s", MCT_STR_ARG(mcti_buf_str(&text)));
    mcti_buf_done(&text);
    return -1;
}
