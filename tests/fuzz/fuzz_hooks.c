/*
 * What hooks say: any decision, about any arguments. The first line is the arguments, the rest the decision. What is read
 * is what it must be, and arguments with changes are an object in which every change stands.
 */
#include "hub/hooks/hooks_impl.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

static size_t count(struct mct_str object)
{
    struct mct_json_member m;
    size_t n = 0;
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);)
        n++;
    return n;
}

static void merge(struct mct_str arguments, struct mct_str changes)
{
    struct mct_json_top top;
    struct mct_buf b;
    if (!mct_json_valid(arguments, 64, &top, NULL) || mct_json_type(top.value) != '{')
        return;
    mct_buf_init(&b, arguments.len + changes.len + 64);
    check(hook_merge(&b, top.value, changes) == 0);
    struct mct_str merged = mct_buf_str(&b);
    check(mct_json_valid(merged, 1024, NULL, NULL) && mct_json_type(merged) == '{');
    check(count(merged) <= count(top.value) + count(changes));
    check(!count(changes) || count(merged));
    mct_buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_str text = { (const char *)data, size }, arguments;
    struct hook_decision d;
    mct_str_split(&text, '\n', &arguments);
    for (int kind = 0; kind < MCT_HOOK_KINDS; kind++) {
        if (hook_decision_read((enum mct_hook_kind)kind, text, &d, NULL) < 0)
            continue;
        check(kind == MCT_HOOK_BEFORE || (!d.params.p && !d.block.p && !d.reason.p && !d.approval.p));
        check(kind == MCT_HOOK_PERSIST || !d.result.p);
        check(!d.params.p || mct_json_type(d.params) == '{');
        check(!d.reason.p || mct_json_type(d.reason) == '"');
        if (d.params.p)
            merge(arguments, d.params);
    }
    return 0;
}
