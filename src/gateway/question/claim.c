#include "gateway/question/claim.h"

#include "base/rand.h"
#include "json/write.h"

#define PREFIX "mct1."

int mcti_claim_digest(enum mcti_verb verb, struct mcti_str params, unsigned char ret[32], bool *ret_has_state)
{
    static const struct mcti_str end = { "", 1 }; /* JSON text has no NUL */
    enum { PIECES = 18, OF_MEMBER = 4 };
    struct mcti_str piece[PIECES] = { mcti_str_of(mcti_method(verb)->name), end };
    struct mcti_json_member m;
    size_t n = 2;
    *ret_has_state = false;
    for (struct mcti_json_iter it = mcti_json_open(params); mcti_json_next_member(&it, &m);) {
        bool is_state = mcti_json_key_is(m.key, "requestState");
        *ret_has_state |= is_state;
        if (is_state || mcti_json_key_is(m.key, "_meta") || mcti_json_key_is(m.key, "inputResponses"))
            continue;
        if (n + OF_MEMBER > PIECES) { /* goes on with the digest of what is there */
            if (mcti_sha256_pieces(piece, n, ret) < 0)
                return -1;
            piece[0] = (struct mcti_str){ (char *)ret, 32 };
            n = 1;
        }
        const struct mcti_str of_member[OF_MEMBER] = { m.key, end, m.value, end };
        memcpy(piece + n, of_member, sizeof of_member);
        n += OF_MEMBER;
    }
    return mcti_sha256_pieces(piece, n, ret);
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
