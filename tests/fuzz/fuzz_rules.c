/*
 * Policy matching: any entries against any names. Lines are, in turn, an entry that allows, one that denies, one of a
 * group, and a name of the tool. Denied is denied whatever else there is, a step more never adds the tool, and the
 * order of entries does not matter.
 */
#include "hub/policy/rules.h"

#include <stdint.h>
#include <stdlib.h>

enum { MAX_LINES = 64, KINDS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const char *v[KINDS][MAX_LINES];
    size_t n[KINDS];
};

static void cut(struct input *in, char *text)
{
    for (size_t i = 0; i < KINDS * MAX_LINES && text; i++) {
        char *end = strchr(text, '\n');
        if (end)
            *end++ = '\0';
        in->v[i % KINDS][in->n[i % KINDS]++] = text;
        text = end;
    }
}

static void reverse(const char **v, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const char *one = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = one;
    }
}

static void check(struct input *in)
{
    const struct mcti_rule_group group = { "g", { in->v[2], in->n[2] } };
    const struct mcti_rule_step steps[] = {
        { .label = "a", .allow = { in->v[0], in->n[0] }, .deny = { in->v[1], in->n[1] } },
        { .label = "b", .allow = { in->v[2], in->n[2] }, .spares_core = true }
    };
    const struct mcti_rule_owned owned = { .tools = { in->v[1], in->n[1] } };
    struct mcti_rules r = {
        .steps = steps, .n_steps = 2, .groups = &group, .n_groups = 1, .owner_only = &owned, .n_owner_only = 1
    };
    struct mcti_rule_tool tool = { .server = MCT_STR("s"), .plugin = MCT_STR("p") };
    const struct mcti_rule_step *by = NULL;
    struct mcti_buf said;
    for (size_t i = 0; i < in->n[3]; i++)
        mcti_rule_tool_add(&tool, mcti_str_of(in->v[3][i]), i % 2 == 0);
    bool both = mcti_rules_admit(&r, 0, &tool, &by);
    r.n_steps = 1;
    bool one = mcti_rules_admit(&r, 0, &tool, NULL);
    if ((both && (!one || by)) || (!both && !by) || (one && mcti_rules_owner_only(&r, &tool)))
        abort();
    for (int k = 0; k < KINDS - 1; k++)
        reverse(in->v[k], in->n[k]);
    if (mcti_rules_admit(&r, 0, &tool, NULL) != one)
        abort();
    mcti_buf_init(&said, 1u << 16);
    mcti_rule_check_allow(&r, &steps[1], &tool, 1, &said);
    mcti_buf_done(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { 0 };
    char *text = mcti_str_dup((struct mcti_str){ (const char *)data, size });
    if (text) {
        cut(&in, text);
        check(&in);
    }
    free(text);
    return 0;
}
