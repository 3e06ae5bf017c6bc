/*
 * What hooks say: any decision, about any arguments. The first line is the arguments, the rest the decision. What is
 * read is what it must be, and arguments with changes are an object in which every change stands.
 */
#include "hub/hooks/hooks_impl.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

static size_t count(struct mcti_str object)
{
    struct mcti_json_member m;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        n++;
    return n;
}

static void merge(struct mcti_str arguments, struct mcti_str changes)
{
    struct mcti_json_top top;
    struct mcti_buf b;
    if (!mcti_json_valid(arguments, 64, &top, NULL) || mcti_json_type(top.value) != '{')
        return;
    mcti_buf_init(&b, arguments.len + changes.len + 64);
    check(mcti_hook_merge(&b, top.value, changes) == 0);
    struct mcti_str merged = mcti_buf_str(&b);
    check(mcti_json_valid(merged, 1024, NULL, NULL) && mcti_json_type(merged) == '{');
    check(count(merged) <= count(top.value) + count(changes));
    check(!count(changes) || count(merged));
    mcti_buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size }, arguments;
    struct mcti_hook_decision d;
    mcti_str_split(&text, '\n', &arguments);
    for (int kind = 0; kind < MCT_HOOK_KINDS; kind++) {
        if (mcti_hook_decision_read((enum mct_hook_kind)kind, text, &d, NULL) < 0)
            continue;
        check(kind == MCT_HOOK_BEFORE || (!d.params.p && !d.block.p && !d.reason.p && !d.approval.p));
        check(kind == MCT_HOOK_PERSIST || !d.result.p);
        check(!d.params.p || mcti_json_type(d.params) == '{');
        check(!d.reason.p || mcti_json_type(d.reason) == '"');
        if (d.params.p)
            merge(arguments, d.params);
    }
    return 0;
}
