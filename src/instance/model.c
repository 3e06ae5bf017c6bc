#include "instance/model.h"

#include "base/limits.h"

/* ---- the array ---- */

struct array_report {
    const struct mcti_log *log;
    struct mcti_buf *left_out;
};

static void on_left_out(void *data, const struct mcti_exposure *x, const char *why)
{
    const struct array_report *report = data;
    struct mcti_buf *to = report->left_out;
    mcti_log(report->log, MCT_LOG_WARN, "server '%s': tool '%.*s' is left out: no model provider accepts it: %s",
             x->provider->name, MCT_STR_ARG(x->item->id), why);
    if (!to)
        return;
    mcti_buf_addz(to, to->len ? ",{" : "{");
    mcti_json_put_member(to, "name", x->name);
    mcti_json_put_member(to, "server", mcti_str_of(x->provider->name));
    mcti_json_put_member(to, "reason", mcti_str_of(why));
    mcti_buf_addc(to, '}');
}

static void on_cut(void *data, const struct mcti_exposure *x)
{
    const struct array_report *report = data;
    mcti_log(report->log, MCT_LOG_WARN,
             "server '%s': tool '%.*s': with its references expanded, the schema would be too large: {} stands "
             "for some of them",
             x->provider->name, MCT_STR_ARG(x->item->id));
}

int mcti_instance_put_tools(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_buf *to,
                            struct mcti_buf *left_out, size_t *ret_n, struct mct_error *err)
{
    struct array_report data = { i->log, left_out };
    const struct mcti_array_report report = { on_left_out, on_cut, &data };
    return mcti_array_put(to, f, mcti_view_items(&i->view, MCT_TOOL), NULL, &report, ret_n, err);
}

/* ---- a call ---- */

int mcti_instance_call_model(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_call *call,
                             struct mcti_call_start *start, struct mcti_str arguments, struct mct_error *err)
{
    const struct mcti_item *tool = start->found ? start->found->item : NULL;
    struct mcti_buf restored;
    start->is_looked_up = true;
    mcti_buf_init(&restored, MCT_LIMIT_MESSAGE_BYTES);
    int r = tool ? mcti_array_restore(&restored, f, mcti_json_get(tool->json, "inputSchema"), arguments, err) : 0;
    if (r == 0)
        r = mcti_instance_call(i, call, start, mcti_buf_str(&restored), err);
    mcti_buf_done(&restored);
    return r;
}
