/* Writes events as JSON, in one format for C, plugins and programs (docs/HOOKS.md). */
#include "hub/hooks/hooks_impl.h"

static void json_put_line(struct mcti_buf *to, const char *key, struct mcti_str value)
{
    mcti_json_put_key(to, key);
    mcti_json_put_line(to, value);
}

static void put_context(struct mcti_buf *to, const struct mcti_hook_facts *f)
{
    mcti_json_put_key(to, "context");
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "principal", f->principal);
    if (f->client.p)
        mcti_json_put_raw(to, "client", f->client);
    mcti_buf_addc(to, '}');
}

char *mcti_hook_facts_json(const struct mcti_hook_facts *f)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * (f->name.len + f->tool.len + f->error.len + f->principal.len) + f->params.len +
                          f->result.len + f->client.len + 8192);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "hook", mcti_str_of(mcti_hook_kind_word(f->kind)));
    mcti_json_put_member(&b, "toolName", f->name);
    mcti_json_put_member(&b, "server", f->server);
    mcti_json_put_member(&b, "tool", f->tool);
    json_put_line(&b, "params", f->params.p ? f->params : MCT_STR("{}"));
    if (f->result.p)
        json_put_line(&b, "result", f->result);
    if (f->error.p)
        mcti_json_put_member(&b, "error", f->error);
    if (f->kind != MCT_HOOK_BEFORE) {
        mcti_json_put_key(&b, "durationMs");
        mcti_buf_addu(&b, f->duration_ms);
    }
    mcti_json_put_member(&b, "toolCallId", f->id);
    put_context(&b, f);
    mcti_buf_addc(&b, '}');
    return mcti_buf_take(&b);
}
