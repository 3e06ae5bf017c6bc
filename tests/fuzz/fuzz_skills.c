/* SKILL.md and entries of servers, which are compared with each other. What the frontmatter is read as is valid JSON
 * and equal to itself; a label is removed again. */
#include "json/scan.h"
#include "skills/frontmatter.h"
#include "skills/label.h"
#include "skills/skill.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_frontmatter(struct mcti_str text)
{
    struct mcti_str yaml, body;
    struct mcti_buf json;
    struct mct_error err;
    if (mcti_frontmatter_split(text, &yaml, &body, &err) < 0)
        return;
    mcti_buf_init(&json, 1u << 24);
    if (mcti_frontmatter_read(&json, yaml, &err) == 0) {
        if (!mcti_json_valid(mcti_buf_str(&json), 512, NULL, NULL))
            abort();
        mcti_frontmatter_check(text, mcti_buf_str(&json), &err);
    }
    mcti_buf_done(&json);
}

static void try_label(struct mcti_str uri)
{
    struct mcti_buf labelled, own;
    mcti_buf_init(&labelled, 1u << 24);
    mcti_buf_init(&own, 1u << 24);
    mcti_skill_put_labelled(&labelled, MCT_STR("a b"), uri);
    bool has_scheme = uri.len && memchr(uri.p, ':', uri.len) && *uri.p != ':';
    bool is_back = mcti_skill_put_unlabelled(&own, MCT_STR("a b"), mcti_buf_str(&labelled));
    if (has_scheme && !memchr(uri.p, '/', (size_t)((const char *)memchr(uri.p, ':', uri.len) - uri.p)) &&
        *uri.p != '+' && !mcti_str_is(uri, "skill://") && (!is_back || !mcti_str_eq(mcti_buf_str(&own), uri)))
        abort();
    mcti_buf_done(&own);
    mcti_buf_done(&labelled);
}

static void try_entry(struct mcti_str text)
{
    struct mcti_skill skill;
    struct mcti_buf result;
    struct mct_error err;
    if (!mcti_json_valid(text, 64, NULL, NULL))
        return;
    if (mcti_skill_open(text, &skill, &err) == 0) {
        mcti_skill_check(&skill, skill.uri, text, &err);
        mcti_skill_done(&skill);
    }
    mcti_buf_init(&result, 1u << 24);
    mcti_skill_put_result(&result, MCT_STR("s"), MCT_RELABEL_ALL, text);
    if (!mcti_json_valid(mcti_buf_str(&result), 64, NULL, NULL))
        abort();
    mcti_buf_done(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data + 1, size - 1 };
    if (!size)
        return 0;
    if (data[0] % 3 == 0)
        try_frontmatter(text);
    else if (data[0] % 3 == 1)
        try_entry(text);
    else
        try_label(text);
    return 0;
}
