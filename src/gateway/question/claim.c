#include "gateway/question/claim.h"

#include "base/rand.h"
#include "json/write.h"

#define PREFIX "mct1."

int mct_claim_digest(enum mct_verb verb, struct mct_str params, unsigned char ret[32])
{
    static const struct mct_json_set without[] = { { "_meta", { 0 } }, { "inputResponses", { 0 } },
                                                   { "requestState", { 0 } } };
    struct mct_buf b;
    mct_buf_init(&b, params.len + 64);
    mct_json_put_object(&b, params, without, 3);
    int r = mct_buf_ok(&b) ? mct_sha256_pair(mct_str_of(mct_method(verb)->name), mct_buf_str(&b), ret) : -1;
    mct_buf_done(&b);
    return r;
}

/* ID ROUND UNTIL DIGEST PRINCIPAL */
static void put_text(struct mct_buf *to, const struct mct_claim *c)
{
    char digest[65];
    mct_hex(c->digest, sizeof c->digest, digest);
    mct_buf_printf(to, "%s %u %llu %s %s", c->id, c->round, (unsigned long long)c->until_ms, digest, c->principal);
}

void mct_claim_put(struct mct_buf *to, struct mct_str key, const struct mct_claim *c)
{
    struct mct_buf text;
    mct_buf_init(&text, 4096);
    put_text(&text, c);
    mct_buf_addz(to, "\"" PREFIX);
    mct_seal(to, key, mct_buf_str(&text));
    mct_buf_addc(to, '"');
    to->failed |= !mct_buf_ok(&text);
    mct_buf_done(&text);
}

/* Appends what a state says. */
static bool open_state(struct mct_str key, struct mct_str state, struct mct_buf *to)
{
    static const struct mct_str prefix = { PREFIX, sizeof PREFIX - 1 };
    return mct_str_starts(state, prefix) &&
           mct_unseal(to, key, (struct mct_str){ state.p + prefix.len, state.len - prefix.len }) == 0;
}

bool mct_claim_id(struct mct_str key, struct mct_str state, char ret_id[MCT_CLAIM_ID_BYTES + 1])
{
    struct mct_buf text;
    mct_buf_init(&text, 8192);
    bool ours = open_state(key, state, &text) && text.len > MCT_CLAIM_ID_BYTES;
    if (ours)
        memcpy(ret_id, text.p, MCT_CLAIM_ID_BYTES);
    ret_id[ours ? MCT_CLAIM_ID_BYTES : 0] = '\0';
    mct_buf_done(&text);
    return ours;
}

bool mct_claim_is(struct mct_str key, const struct mct_claim *c, struct mct_str state)
{
    struct mct_buf said, known;
    mct_buf_init(&said, 8192);
    mct_buf_init(&known, 8192);
    put_text(&known, c);
    bool same = open_state(key, state, &said) && mct_buf_ok(&known) &&
                mct_str_eq_secret(mct_buf_str(&said), mct_buf_str(&known));
    mct_buf_done(&said);
    mct_buf_done(&known);
    return same;
}
