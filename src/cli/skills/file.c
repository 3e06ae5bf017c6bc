/* skills load, skills read: one file, verified. */
#include "cli/skills/skills.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "skills/frontmatter.h"

/* Returns whether the bytes are text that a terminal may show. */
static bool file_is_text(struct mcti_str bytes)
{
    return mcti_utf8_valid(bytes) && (!bytes.len || !memchr(bytes.p, 0, bytes.len));
}

static void file_print_json(const struct mcti_app *app, const struct mcti_skill_search *s, struct mcti_str bytes)
{
    struct mcti_buf b, base64;
    bool is_text = file_is_text(bytes);
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_init(&base64, (size_t)1 << 32);
    if (!is_text)
        mcti_base64_put(&base64, bytes);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "server", mcti_str_of(s->provider->name));
    mcti_json_put_member(&b, "uri", s->uri);
    mcti_json_put_member(&b, "skill", s->skill.uri);
    mcti_json_put_member(&b, is_text ? "text" : "blob", is_text ? bytes : mcti_buf_str(&base64));
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&base64);
    mcti_buf_done(&b);
}

static void file_print(const struct mcti_app *app, struct mcti_str bytes)
{
    if (!app->terminal) {
        fwrite(bytes.p, 1, bytes.len, stdout);
        return;
    }
    if (!file_is_text(bytes)) {
        mcti_out(app, "(%zu bytes)\n", bytes.len);
        return;
    }
    mcti_out_text(app, bytes);
    if (bytes.len && bytes.p[bytes.len - 1] != '\n')
        putchar('\n');
}

/* Says whose words follow: the reader may be a model. */
static void file_print_origin(const struct mcti_app *app, const struct mcti_skill_search *s)
{
    if (app->opt.output != MCT_OUT_JSON)
        mcti_say("mcptools: skill '%.*s' of server '%s', verified", MCT_STR_ARG(s->skill.name), s->provider->name);
}

/* Loads the file `uri`; `body`: prints it without its frontmatter, with its origin on stderr. */
static int file_show(struct mcti_app *app, struct mcti_provider *only, const char *uri, bool body)
{
    struct mcti_skill_search found;
    struct mcti_buf bytes;
    struct mct_error err;
    struct mcti_str yaml, text;
    mcti_buf_init(&bytes, MCT_LIMIT_SKILL_BYTES + 1);
    int status = mcti_skills_ask_search(app, only, uri, &found);
    if (!status) {
        const struct mcti_skills_wish wish = { app, found.provider, &found.skill, body ? found.skill.uri : found.uri };
        status = mcti_skills_ask_file(&wish, &bytes, &err);
        if (status)
            mcti_out_fail(app, &err, found.provider->name);
    }
    if (!status) {
        text = mcti_buf_str(&bytes);
        if (body)
            mcti_frontmatter_split(mcti_buf_str(&bytes), &yaml, &text, NULL);
        if (body)
            file_print_origin(app, &found);
        if (app->opt.output == MCT_OUT_JSON)
            file_print_json(app, &found, text);
        else
            file_print(app, text);
    }
    mcti_buf_done(&bytes);
    mcti_skill_search_done(&found);
    return status;
}

int mcti_skills_do_load(struct mcti_app *app, struct mcti_provider *only, const char *uri)
{
    return file_show(app, only, uri, true);
}

int mcti_skills_do_read(struct mcti_app *app, struct mcti_provider *only, const char *uri)
{
    return file_show(app, only, uri, false);
}
