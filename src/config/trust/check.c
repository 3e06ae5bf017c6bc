/* The decision about one file. */
#include "config/trust/trust.h"

struct checking {
    const struct mcti_trust_location *location;
    const char *digest;
    struct mcti_trust_verdict *verdict;
};

static bool digest_is_equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void check_record(void *data, const struct mcti_trust_record *r)
{
    struct checking *k = data;
    struct mcti_trust_verdict *v = k->verdict;
    if (strcmp(r->path, k->location->path) != 0)
        return;
    v->had_settings |= r->has_settings;
    if (digest_is_equal(r->target, k->location->target) && !strcmp(r->digest, k->digest))
        v->trust = MCT_TRUST_YES;
    else if (v->trust == MCT_TRUST_NO)
        v->trust = MCT_TRUST_CHANGED;
}

void mcti_trust_check(const char *file, struct mcti_str text, struct mcti_trust_verdict *ret)
{
    char digest[MCT_TRUST_DIGEST_CHARS + 1];
    struct mcti_trust_location l;
    struct checking k = { &l, digest, ret };
    *ret = (struct mcti_trust_verdict){ .trust = MCT_TRUST_NO };
    mcti_trust_digest(text, digest);
    if (mcti_trust_locate(file, &l, &ret->why) == 0) {
        ret->by_environment = mcti_trust_has_variable(&l);
        if (!ret->by_environment && mcti_trust_each(check_record, &k, &ret->why) < 0)
            ret->trust = MCT_TRUST_NO;
        if (ret->by_environment)
            ret->trust = MCT_TRUST_YES;
    }
    mcti_trust_location_done(&l);
}
