#include "mcp/era.h"

static const char *const revisions[MCT_REV_N] = {
    [MCT_REV_2024_11_05] = "2024-11-05", [MCT_REV_2025_03_26] = "2025-03-26", [MCT_REV_2025_06_18] = "2025-06-18",
    [MCT_REV_2025_11_25] = "2025-11-25", [MCT_REV_2026_07_28] = "2026-07-28",
};
enum { REV_LEN = sizeof "YYYY-MM-DD" - 1 };

enum mcti_rev mcti_rev_find(struct mcti_str text)
{
    for (int i = MCT_REV_N - 1; i > 0 && text.len == REV_LEN; i--)
        if (!memcmp(text.p, revisions[i], REV_LEN))
            return (enum mcti_rev)i;
    return MCT_REV_NONE;
}

const char *mcti_rev_text(enum mcti_rev rev)
{
    return revisions[rev] ? revisions[rev] : "";
}

enum mcti_rev mcti_rev_negotiate(struct mcti_str asked)
{
    enum mcti_rev rev = mcti_rev_find(asked);
    return rev == MCT_REV_NONE || mcti_rev_is_stateless(rev) ? MCT_REV_LATEST_HANDSHAKE : rev;
}

struct mcti_str mcti_rev_unknown_id(enum mcti_rev rev)
{
    return rev < MCT_REV_2025_11_25 ? MCT_STR("null") : MCT_STR_NONE;
}

void mcti_rev_put_stateless(struct mcti_buf *to)
{
    mcti_buf_addc(to, '[');
    for (int i = MCT_REV_N - 1; i > 0 && mcti_rev_is_stateless((enum mcti_rev)i); i--) {
        mcti_buf_addz(to, i < MCT_REV_N - 1 ? ",\"" : "\"");
        mcti_buf_addz(to, revisions[i]);
        mcti_buf_addc(to, '"');
    }
    mcti_buf_addc(to, ']');
}
