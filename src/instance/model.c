#include "instance/model.h"

#include "base/limits.h"
#include "json/write.h"

/* ---- the array ---- */

struct array_report {
    const struct mcti_log *log;
    struct mcti_array_faults *faults; /* NULL: they are only logged */
};

void mcti_array_faults_init(struct mcti_array_faults *faults)
{
    mcti_buf_init(&faults->left_out, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&faults->errors, MCT_LIMIT_MESSAGE_BYTES);
}

void mcti_array_faults_done(struct mcti_array_faults *faults)
{
    mcti_buf_done(&faults->left_out);
    mcti_buf_done(&faults->errors);
}

static void model_put_left_out(struct mcti_buf *to, const struct mcti_exposure *x, const char *why)
{
    mcti_buf_addz(to, to->len ? ",{" : "{");
    mcti_json_put_member(to, "name", x->name);
    mcti_json_put_member(to, "server", mcti_str_of(x->provider->name));
    mcti_json_put_member(to, "reason", mcti_str_of(why));
    mcti_buf_addc(to, '}');
}

/* `x`: the tool that the error is about; NULL: the array as a whole. */
static void put_array_fault(struct mcti_buf *to, enum mct_error_kind kind, const char *message,
                            const struct mcti_exposure *x)
{
    mcti_buf_addz(to, to->len ? ",{" : "{");
    mcti_json_put_fault(to, kind, message);
    if (x) {
        mcti_json_put_member(to, "server", mcti_str_of(x->provider->name));
        mcti_json_put_member(to, "tool", x->name);
    }
    mcti_buf_addc(to, '}');
}

static void on_left_out(void *data, const struct mcti_exposure *x, const char *why)
{
    const struct array_report *report = data;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_UNSUPPORTED, "tool '%.*s' is left out: no model provider accepts it: %s",
              MCT_STR_ARG(mcti_item_id(x->item)), why);
    mcti_log(report->log, MCT_LOG_WARN, "server '%s': %s", x->provider->name, err.message);
    if (!report->faults)
        return;
    model_put_left_out(&report->faults->left_out, x, why);
    put_array_fault(&report->faults->errors, err.kind, err.message, x);
}

static void on_cut(void *data, const struct mcti_exposure *x)
{
    const struct array_report *report = data;
    mcti_log(report->log, MCT_LOG_WARN,
             "server '%s': tool '%.*s': {} stands for references that lead to nothing in the schema, or would make it "
             "too large",
             x->provider->name, MCT_STR_ARG(mcti_item_id(x->item)));
}

static void check_number(const struct array_report *report, const struct mcti_array_format *f, size_t n)
{
    struct mct_error err;
    if (!f->rules->max_tools || n <= f->rules->max_tools)
        return;
    mcti_fail(
        &err, MCT_ERR_LIMIT,
        "%s accepts at most %zu tools, but there are %zu; use --mode search (\"mode\": \"search\") for three tools "
        "that find and call all others, or select servers (--server)",
        f->name, f->rules->max_tools, n);
    mcti_log(report->log, MCT_LOG_WARN, "%s", err.message);
    if (report->faults)
        put_array_fault(&report->faults->errors, err.kind, err.message, NULL);
}

int mcti_instance_put_tools(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_buf *to,
                            struct mcti_array_faults *faults, struct mct_error *err)
{
    struct array_report data = { i->log, faults };
    const struct mcti_array_report report = { on_left_out, on_cut, &data };
    size_t n;
    if (mcti_array_put(to, f, mcti_view_items(&i->view, MCT_TOOL), NULL, &report, &n, err) < 0)
        return -1;
    check_number(&data, f, n);
    return 0;
}

/* ---- a call ---- */

int mcti_instance_call_model(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_call *call,
                             struct mcti_call_start *start, struct mcti_str arguments, struct mct_error *err)
{
    const struct mcti_item *tool = start->found ? start->found->item : NULL;
    struct mcti_buf restored;
    start->is_looked_up = true;
    mcti_buf_init(&restored, MCT_LIMIT_MESSAGE_BYTES);
    int r =
        tool ? mcti_array_restore(&restored, f, mcti_json_get(mcti_item_json(tool), "inputSchema"), arguments, err) : 0;
    if (r == 0)
        r = mcti_instance_call(i, call, start, mcti_buf_str(&restored), err);
    mcti_buf_done(&restored);
    return r;
}
