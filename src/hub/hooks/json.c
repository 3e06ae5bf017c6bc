/* Events as text: one format for C, plugins and programs (docs/HOOKS.md). */
#include "hub/hooks/hooks_impl.h"

static void put_line(struct mct_buf *to, const char *key, struct mct_str value)
{
    mct_json_put_key(to, key);
    mct_json_put_line(to, value);
}

static void put_context(struct mct_buf *to, const struct hook_facts *f)
{
    mct_json_put_key(to, "context");
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "principal", f->principal);
    if (f->client.p)
        mct_json_put_raw(to, "client", f->client);
    mct_buf_addc(to, '}');
}

char *hook_facts_json(const struct hook_facts *f)
{
    struct mct_buf b;
    mct_buf_init(&b, 6 * (f->name.len + f->tool.len + f->error.len + f->principal.len) + f->params.len + f->result.len +
                 f->client.len + 8192);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "hook", mct_str_of(mct_hook_kind_word(f->kind)));
    mct_json_put_member(&b, "toolName", f->name);
    mct_json_put_member(&b, "server", f->server);
    mct_json_put_member(&b, "tool", f->tool);
    put_line(&b, "params", f->params.p ? f->params : MCT_STR("{}"));
    if (f->result.p)
        put_line(&b, "result", f->result);
    if (f->error.p)
        mct_json_put_member(&b, "error", f->error);
    if (f->kind != MCT_HOOK_BEFORE) {
        mct_json_put_key(&b, "durationMs");
        mct_buf_addu(&b, f->duration_ms);
    }
    mct_json_put_member(&b, "toolCallId", f->id);
    put_context(&b, f);
    mct_buf_addc(&b, '}');
    return mct_buf_take(&b);
}
