#include "hub/prefs.h"

bool mct_prefs_mode(struct mct_str word, enum mct_mode *ret)
{
    bool full = mct_str_is(word, "full");
    if (!full && !mct_str_is(word, "router"))
        return false;
    *ret = full ? MCT_MODE_FULL : MCT_MODE_ROUTER;
    return true;
}

bool mct_prefs_dialect(struct mct_str word, unsigned *ret_bit)
{
    static const char *const words[] = { "nexo", "codex", "bridge", "claude", "lines", "servers" };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (mct_str_is(word, words[i])) {
            *ret_bit = 1u << i;
            return true;
        }
    }
    return false;
}
