#include "gateway/question/claim.h"

#include "base/rand.h"
#include "json/write.h"

#define PREFIX "mct1."

int mcti_claim_digest(enum mcti_verb verb, struct mcti_str params, unsigned char ret[32])
{
    static const struct mcti_json_set without[] = { { "_meta", { 0 } },
                                                    { "inputResponses", { 0 } },
                                                    { "requestState", { 0 } } };
    struct mcti_buf b;
    mcti_buf_init(&b, params.len + 64);
    mcti_json_put_object(&b, params, without, 3);
    int r = mcti_buf_ok(&b) ? mcti_sha256_pair(mcti_str_of(mcti_method(verb)->name), mcti_buf_str(&b), ret) : -1;
    mcti_buf_done(&b);
    return r;
}

/* Writes "ID ROUND UNTIL DIGEST PRINCIPAL". */
static void claim_put_text(struct mcti_buf *to, const struct mcti_claim *c)
{
    char digest[65];
    mcti_hex(c->digest, sizeof c->digest, digest);
    mcti_buf_printf(to, "%s %u %llu %s %s", c->id, c->round, (unsigned long long)c->until_ms, digest, c->principal);
}

void mcti_claim_put(struct mcti_buf *to, struct mcti_str key, const struct mcti_claim *c)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 4096);
    claim_put_text(&text, c);
    mcti_buf_addz(to, "\"" PREFIX);
    mcti_seal(to, key, mcti_buf_str(&text));
    mcti_buf_addc(to, '"');
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

/* Unseals the requestState `state` and appends its text to `to`. */
static bool claim_open_state(struct mcti_str key, struct mcti_str state, struct mcti_buf *to)
{
    static const struct mcti_str prefix = { PREFIX, sizeof PREFIX - 1 };
    return mcti_str_starts(state, prefix) &&
           mcti_unseal(to, key, (struct mcti_str){ state.p + prefix.len, state.len - prefix.len }) == 0;
}

bool mcti_claim_id(struct mcti_str key, struct mcti_str state, char ret_id[MCT_CLAIM_ID_BYTES + 1])
{
    struct mcti_buf text;
    mcti_buf_init(&text, 8192);
    bool ours = claim_open_state(key, state, &text) && text.len > MCT_CLAIM_ID_BYTES;
    if (ours)
        memcpy(ret_id, text.p, MCT_CLAIM_ID_BYTES);
    ret_id[ours ? MCT_CLAIM_ID_BYTES : 0] = '\0';
    mcti_buf_done(&text);
    return ours;
}

bool mcti_claim_is(struct mcti_str key, const struct mcti_claim *c, struct mcti_str state)
{
    struct mcti_buf said, known;
    mcti_buf_init(&said, 8192);
    mcti_buf_init(&known, 8192);
    claim_put_text(&known, c);
    bool same = claim_open_state(key, state, &said) && mcti_buf_ok(&known) &&
                mcti_str_eq_secret(mcti_buf_str(&said), mcti_buf_str(&known));
    mcti_buf_done(&said);
    mcti_buf_done(&known);
    return same;
}
