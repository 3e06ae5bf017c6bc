#include "hub/policy.h"

#include "base/limits.h"

#include <stdlib.h>
#include <time.h>

/* ---- which tools only look ---- */

enum { N_NAMES = 3 };

/* All a glob may mean. */
struct names {
    struct mct_str v[N_NAMES];
    struct mct_buf dotted;
    char *prefixed;
};

static int names_init(struct names *n, const struct mct_naming *naming, const struct mct_exposure *x)
{
    struct mct_naming always = *naming;
    const struct mct_name_in in = { mct_str_of(x->provider->name), x->item->id };
    always.prefix = MCT_PREFIX_ALWAYS;
    mct_buf_init(&n->dotted, in.server.len + in.raw.len + 1);
    mct_buf_add(&n->dotted, in.server);
    mct_buf_addc(&n->dotted, '.');
    mct_buf_add(&n->dotted, in.raw);
    int r = mct_names_assign(&always, &in, 1, &n->prefixed, NULL);
    n->v[0] = mct_buf_str(&n->dotted);
    n->v[1] = x->name;
    n->v[2] = mct_str_of(n->prefixed);
    return mct_buf_ok(&n->dotted) ? r : -1;
}

static void names_done(struct names *n)
{
    mct_buf_done(&n->dotted);
    free(n->prefixed);
}

static bool is_listed(const char *const *globs, size_t n, const struct names *names)
{
    for (size_t i = 0; i < N_NAMES; i++)
        if (mct_str_glob_any(globs, n, names->v[i]))
            return true;
    return false;
}

static bool claims_read_only(const struct mct_item *tool)
{
    return mct_json_true(mct_json_get(mct_json_get(tool->json, "annotations"), "readOnlyHint"));
}

bool mct_policy_is_read_only(const struct mct_policy *p, const struct mct_naming *naming, const struct mct_exposure *x)
{
    struct names names;
    bool believed = x->provider->trusted && claims_read_only(x->item);
    if (x->provider->read_only || !(p->n_mutating_tools || p->n_read_only_tools))
        return x->provider->read_only || believed;
    bool whole = names_init(&names, naming, x) == 0;
    bool is = whole && !is_listed(p->mutating_tools, p->n_mutating_tools, &names) &&
              (believed || is_listed(p->read_only_tools, p->n_read_only_tools, &names));
    names_done(&names);
    return is;
}

/* ---- what a model is told ---- */

static void put_time(struct mct_buf *to, int64_t wall_s)
{
    char text[40];
    struct tm tm;
    time_t t = (time_t)wall_s;
    gmtime_r(&t, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    mct_json_put_member(to, "entered_at", mct_str_of(text));
}

static void put_refusal(struct mct_buf *to, const struct mct_refusal *r)
{
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "tool_name", r->tool_name);
    mct_json_put_member(to, "tool_kind", MCT_STR("outbound"));
    mct_json_put_member(to, "hint", MCT_STR("Call ExitPlanMode { final_plan } when the plan is ready."));
    put_time(to, r->entered_at_s);
    mct_json_put_key(to, "entered_reason");
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "kind", r->by_client ? MCT_STR("client") : MCT_STR("operator"));
    mct_buf_addz(to, "}}");
}

void mct_refusal_put_result(struct mct_buf *to, const struct mct_refusal *r)
{
    struct mct_buf refusal;
    mct_buf_init(&refusal, 6 * r->tool_name.len + 4096);
    put_refusal(&refusal, r);
    mct_buf_addz(to, "{\"content\":[{\"type\":\"text\",\"text\":");
    mct_json_put_string(to, mct_buf_str(&refusal));
    mct_buf_addz(to, "}],\"structuredContent\":");
    mct_buf_add(to, mct_buf_str(&refusal));
    mct_buf_addz(to, ",\"isError\":true}");
    to->failed |= !mct_buf_ok(&refusal);
    mct_buf_done(&refusal);
}
