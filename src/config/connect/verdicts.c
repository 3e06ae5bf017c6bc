#include "config/connect/verdicts.h"

#include "base/limits.h"
#include "hub/catalogue/cache_file.h"
#include "json/write.h"

#include <stdlib.h>
#include <time.h>

enum { FILE_MAX = 1 << 20, DAY_S = 86400 };

void mcti_verdicts_init(struct mcti_verdicts *v)
{
    *v = (struct mcti_verdicts){ .path = mcti_cache_path("protocols.json") };
    mcti_buf_init(&v->text, FILE_MAX);
}

void mcti_verdicts_done(struct mcti_verdicts *v)
{
    mcti_buf_done(&v->text);
    free(v->path);
    *v = (struct mcti_verdicts){ 0 };
}

/* Returns the file as a valid JSON object; "{}" if it is missing or unusable. */
static struct mcti_str verdicts_load(const struct mcti_verdicts *v, struct mcti_buf *text)
{
    struct mcti_json_top top;
    mcti_cache_read(v->path, text);
    bool valid = mcti_json_valid(mcti_buf_str(text), 8, &top, NULL) && mcti_json_type(top.value) == '{';
    return valid ? top.value : MCT_STR("{}");
}

static bool is_current(struct mcti_str entry)
{
    uint64_t until;
    return mcti_json_uint(mcti_json_get(entry, "until"), &until) && until > (uint64_t)time(NULL);
}

static enum mcti_both both_of(struct mcti_str value)
{
    return !value.p ? MCT_BOTH_UNKNOWN : mcti_json_true(value) ? MCT_BOTH_YES : MCT_BOTH_NO;
}

void mcti_verdicts_get(struct mcti_verdicts *v, const char *key, struct mcti_verdict *ret)
{
    uint64_t variant;
    if (!v->known.p)
        v->known = verdicts_load(v, &v->text);
    struct mcti_str entry = mcti_json_get(v->known, key);
    if (is_current(entry) && mcti_json_uint(mcti_json_get(entry, "variant"), &variant) && variant < 8) {
        ret->era = mcti_json_true(mcti_json_get(entry, "stateless")) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE;
        ret->variant = (unsigned)variant;
        ret->both = both_of(mcti_json_get(entry, "both"));
    }
}

/* Writes all current entries except `key`, then the new entry. */
static void verdicts_put_all(struct mcti_buf *to, struct mcti_str old, const char *key,
                             const struct mcti_verdict *verdict)
{
    bool stateless = verdict->era == MCT_ERA_STATELESS;
    struct mcti_json_member m;
    mcti_buf_addc(to, '{');
    for (struct mcti_json_iter it = mcti_json_open(old); mcti_json_next_member(&it, &m);) {
        if (!is_current(m.value) || mcti_json_key_is(m.key, key))
            continue;
        mcti_buf_addz(to, "\n\"");
        mcti_buf_add(to, m.key);
        mcti_buf_addz(to, "\":");
        mcti_buf_add(to, m.value);
        mcti_buf_addc(to, ',');
    }
    static const char *const words[] = {
        [MCT_BOTH_UNKNOWN] = "", [MCT_BOTH_NO] = ",\"both\":false", [MCT_BOTH_YES] = ",\"both\":true"
    };
    mcti_buf_printf(to, "\n\"%s\":{\"stateless\":%s%s,\"variant\":%u,\"until\":%lld}\n}\n", key,
                    stateless ? "true" : "false", words[verdict->both], verdict->variant,
                    (long long)time(NULL) + (stateless ? 7 : 1) * DAY_S);
}

void mcti_verdicts_put(const struct mcti_verdicts *v, const char *key, const struct mcti_verdict *verdict)
{
    struct mcti_buf text, fresh;
    if (!v->path)
        return;
    mcti_buf_init(&text, FILE_MAX);
    mcti_buf_init(&fresh, FILE_MAX);
    verdicts_put_all(&fresh, verdicts_load(v, &text), key, verdict);
    if (mcti_buf_ok(&fresh))
        mcti_cache_write(v->path, mcti_buf_str(&fresh));
    mcti_buf_done(&text);
    mcti_buf_done(&fresh);
}
