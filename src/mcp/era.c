#include "mcp/era.h"

static const char *const revisions[MCT_REV_N] = {
    [MCT_REV_2024_11_05] = "2024-11-05", [MCT_REV_2025_03_26] = "2025-03-26",
    [MCT_REV_2025_06_18] = "2025-06-18", [MCT_REV_2025_11_25] = "2025-11-25",
    [MCT_REV_2026_07_28] = "2026-07-28",
};

enum mct_rev mct_rev_find(struct mct_str text)
{
    for (int i = 1; i < MCT_REV_N; i++)
        if (mct_str_is(text, revisions[i]))
            return (enum mct_rev)i;
    return MCT_REV_NONE;
}

const char *mct_rev_text(enum mct_rev rev)
{
    return revisions[rev] ? revisions[rev] : "";
}

enum mct_rev mct_rev_negotiate(struct mct_str asked)
{
    enum mct_rev rev = mct_rev_find(asked);
    return rev == MCT_REV_NONE || mct_rev_is_stateless(rev) ? MCT_REV_LATEST_HANDSHAKE : rev;
}

struct mct_str mct_rev_unknown_id(enum mct_rev rev)
{
    return rev < MCT_REV_2025_11_25 ? MCT_STR("null") : MCT_STR_NONE;
}

void mct_rev_put_stateless(struct mct_buf *to)
{
    mct_buf_addc(to, '[');
    for (int i = MCT_REV_N - 1; i > 0 && mct_rev_is_stateless((enum mct_rev)i); i--) {
        mct_buf_addz(to, i < MCT_REV_N - 1 ? ",\"" : "\"");
        mct_buf_addz(to, revisions[i]);
        mct_buf_addc(to, '"');
    }
    mct_buf_addc(to, ']');
}
