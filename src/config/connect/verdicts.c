#include "config/connect/verdicts.h"

#include "base/limits.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20, DAY_S = 86400 };

static char *join(const char *a, const char *b)
{
    char *text;
    return asprintf(&text, "%s%s", a, b) < 0 ? NULL : text;
}

void mct_verdicts_init(struct mct_verdicts *v)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *v = (struct mct_verdicts){ 0 };
    mct_buf_init(&v->text, FILE_MAX);
    if (cache && *cache == '/')
        v->path = join(cache, "/mcptools/protocols.json");
    else if (home && *home)
        v->path = join(home, "/.cache/mcptools/protocols.json");
}

void mct_verdicts_done(struct mct_verdicts *v)
{
    mct_buf_done(&v->text);
    free(v->path);
    *v = (struct mct_verdicts){ 0 };
}

/* The file as a validated object; "{}" where there is none or it is unusable. */
static struct mct_str load(const struct mct_verdicts *v, struct mct_buf *text)
{
    struct mct_json_top top;
    FILE *f = v->path ? fopen(v->path, "re") : NULL;
    char *room = f ? mct_buf_reserve(text, FILE_MAX) : NULL;
    if (room)
        text->len = fread(room, 1, FILE_MAX, f);
    if (f)
        fclose(f);
    bool valid = mct_json_valid(mct_buf_str(text), 8, &top, NULL) && mct_json_type(top.value) == '{';
    return valid ? top.value : MCT_STR("{}");
}

static bool is_current(struct mct_str entry)
{
    uint64_t until;
    return mct_json_uint(mct_json_get(entry, "until"), &until) && until > (uint64_t)time(NULL);
}

static enum mct_both both_of(struct mct_str value)
{
    return !value.p ? MCT_BOTH_UNKNOWN : mct_json_true(value) ? MCT_BOTH_YES : MCT_BOTH_NO;
}

void mct_verdicts_get(struct mct_verdicts *v, const char *key, struct mct_verdict *ret)
{
    uint64_t variant;
    if (!v->known.p)
        v->known = load(v, &v->text);
    struct mct_str entry = mct_json_get(v->known, key);
    if (is_current(entry) && mct_json_uint(mct_json_get(entry, "variant"), &variant) && variant < 8) {
        ret->era = mct_json_true(mct_json_get(entry, "stateless")) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE;
        ret->variant = (unsigned)variant;
        ret->both = both_of(mct_json_get(entry, "both"));
    }
}

/* All that is still current but `key`, then the new entry. */
static void put_all(struct mct_buf *to, struct mct_str old, const char *key, const struct mct_verdict *verdict)
{
    bool stateless = verdict->era == MCT_ERA_STATELESS;
    struct mct_json_member m;
    mct_buf_addc(to, '{');
    for (struct mct_json_iter it = mct_json_open(old); mct_json_next_member(&it, &m);) {
        if (!is_current(m.value) || mct_json_key_is(m.key, key))
            continue;
        mct_buf_addz(to, "\n\"");
        mct_buf_add(to, m.key);
        mct_buf_addz(to, "\":");
        mct_buf_add(to, m.value);
        mct_buf_addc(to, ',');
    }
    static const char *const words[] = { [MCT_BOTH_UNKNOWN] = "", [MCT_BOTH_NO] = ",\"both\":false",
                                         [MCT_BOTH_YES] = ",\"both\":true" };
    mct_buf_printf(to, "\n\"%s\":{\"stateless\":%s%s,\"variant\":%u,\"until\":%lld}\n}\n", key,
                   stateless ? "true" : "false", words[verdict->both], verdict->variant,
                   (long long)time(NULL) + (stateless ? 7 : 1) * DAY_S);
}

static void make_folders(const char *path)
{
    char part[4096];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if ((size_t)(slash - path) >= sizeof part)
            return;
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0700);
    }
}

/* Whole or not at all: others may be reading or writing. */
static void replace(const char *path, struct mct_str text)
{
    char fresh[4096];
    make_folders(path);
    snprintf(fresh, sizeof fresh, "%s.XXXXXX", path);
    int fd = mkstemp(fresh);
    if (fd < 0)
        return;
    bool ok = write(fd, text.p, text.len) == (ssize_t)text.len;
    ok = close(fd) == 0 && ok;
    if (!ok || rename(fresh, path) < 0)
        unlink(fresh);
}

void mct_verdicts_put(const struct mct_verdicts *v, const char *key, const struct mct_verdict *verdict)
{
    struct mct_buf text, fresh;
    if (!v->path)
        return;
    mct_buf_init(&text, FILE_MAX);
    mct_buf_init(&fresh, FILE_MAX);
    put_all(&fresh, load(v, &text), key, verdict);
    if (mct_buf_ok(&fresh))
        replace(v->path, mct_buf_str(&fresh));
    mct_buf_done(&text);
    mct_buf_done(&fresh);
}
