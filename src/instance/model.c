#include "instance/model.h"

#include "base/limits.h"

/* ---- the array ---- */

struct array_told {
    const struct mct_log *log;
    struct mct_buf *left_out;
};

static void on_left_out(void *data, const struct mct_exposure *x, const char *why)
{
    const struct array_told *told = data;
    struct mct_buf *to = told->left_out;
    mct_log(told->log, MCT_LOG_WARN, "server '%s': tool '%.*s' is left out, because no model provider takes it: %s", x->provider->name,
            MCT_STR_ARG(x->item->id), why);
    if (!to)
        return;
    mct_buf_addz(to, to->len ? ",{" : "{");
    mct_json_put_member(to, "name", x->name);
    mct_json_put_member(to, "server", mct_str_of(x->provider->name));
    mct_json_put_member(to, "reason", mct_str_of(why));
    mct_buf_addc(to, '}');
}

static void on_cut(void *data, const struct mct_exposure *x)
{
    const struct array_told *told = data;
    mct_log(told->log, MCT_LOG_WARN, "server '%s': tool '%.*s': references would make its schema too large: {} stands in the place "
            "of some", x->provider->name, MCT_STR_ARG(x->item->id));
}

int mcti_instance_put_tools(struct mcti_instance *i, const struct mct_array_format *f, struct mct_buf *to, struct mct_buf *left_out,
                            size_t *ret_n, struct mct_error *err)
{
    struct array_told data = { i->log, left_out };
    const struct mct_array_told told = { on_left_out, on_cut, &data };
    return mct_array_put(to, f, mct_view_items(&i->view, MCT_TOOL), NULL, &told, ret_n, err);
}

/* ---- a call ---- */

int mcti_instance_call_model(struct mcti_instance *i, const struct mct_array_format *f, struct mct_call *call,
                             struct mct_call_start *start, struct mct_str arguments, struct mct_error *err)
{
    const struct mct_item *tool = start->found ? start->found->item : NULL;
    struct mct_buf restored;
    start->is_looked_up = true;
    mct_buf_init(&restored, MCT_LIMIT_MESSAGE_BYTES);
    int r = tool ? mct_array_restore(&restored, f, mct_json_get(tool->json, "inputSchema"), arguments, err) : 0;
    if (r == 0)
        r = mcti_instance_call(i, call, start, mct_buf_str(&restored), err);
    mct_buf_done(&restored);
    return r;
}
