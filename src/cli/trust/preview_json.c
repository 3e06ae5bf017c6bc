/* What a file would bring, for programs. */
#include "cli/trust/trust.h"

#include "json/write.h"

static void preview_put_pairs(struct mcti_buf *to, const char *key, const struct mcti_pairs *pairs)
{
    if (!pairs->n)
        return;
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '{');
    for (size_t i = 0; i < pairs->n; i++) {
        bool is_secret = mcti_config_is_secret(pairs->v[i].key, pairs->v[i].value);
        mcti_json_put_member(to, pairs->v[i].key, mcti_str_of(is_secret ? "***" : pairs->v[i].value));
    }
    mcti_buf_addc(to, '}');
}

static void preview_put_strings(struct mcti_buf *to, const char *key, const struct mcti_strings *list)
{
    if (!list->n)
        return;
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_json_put_string(to, mcti_str_of(list->v[i]));
    }
    mcti_buf_addc(to, ']');
}

static void preview_put_args(struct mcti_buf *to, const struct mcti_strings *args)
{
    struct mcti_strings shown = { 0 };
    for (size_t i = 0; i < args->n; i++) {
        struct mcti_buf arg;
        mcti_buf_init(&arg, 1u << 20);
        mcti_config_put_arg(&arg, args, i);
        mcti_strings_add(&shown, mcti_buf_str(&arg));
        mcti_buf_done(&arg);
    }
    preview_put_strings(to, "args", &shown);
    mcti_strings_clear(&shown);
}

static void preview_put_text(struct mcti_buf *to, const char *key, const char *text)
{
    if (text)
        mcti_json_put_member(to, key, mcti_str_of(text));
}

/* Appends the members that say what is started. */
static void put_start(struct mcti_buf *to, const struct mcti_config_server *s)
{
    struct mcti_strings expansions = { 0 };
    struct mcti_buf url;
    mcti_buf_init(&url, 1u << 20);
    preview_put_text(to, "command", s->command);
    if (s->args.n)
        preview_put_args(to, &s->args);
    preview_put_text(to, "cwd", s->cwd);
    if (s->url) {
        mcti_config_put_url(&url, s->url);
        mcti_json_put_member(to, "url", mcti_buf_str(&url));
    }
    preview_put_text(to, "path", s->plugin_path);
    preview_put_strings(to, "plugins", &s->plugins);
    preview_put_pairs(to, "env", &s->env);
    preview_put_pairs(to, "headers", &s->headers);
    mcti_trust_expansions(s, &expansions);
    preview_put_strings(to, "expands", &expansions);
    mcti_strings_clear(&expansions);
    mcti_buf_done(&url);
}

static void preview_put_server(struct mcti_buf *to, const struct mcti_config_server *s)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    mcti_json_put_member(to, "name", mcti_str_of(s->name));
    mcti_json_put_raw(to, "enabled", s->enabled ? MCT_STR("true") : MCT_STR("false"));
    put_start(to, s);
    if (s->error.kind)
        mcti_json_put_member(to, "error", mcti_str_of(s->error.message));
    mcti_buf_addc(to, '}');
}

static void put_setting(void *data, struct mcti_str path, struct mcti_str value)
{
    struct mcti_buf *to = data;
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    mcti_json_put_member(to, "key", path);
    mcti_json_put_raw(to, "value", value);
    mcti_buf_addc(to, '}');
}

static void put_notes(struct mcti_buf *to, const struct mcti_trust_file *f)
{
    struct mcti_buf note;
    bool any = false;
    mcti_buf_init(&note, 1u << 16);
    for (size_t i = 0; mcti_trust_put_note(f, i, &note); i++) {
        if (note.len && !any)
            mcti_json_put_key(to, "notes");
        if (note.len) {
            mcti_buf_addz(to, any ? "," : "[");
            mcti_json_put_string(to, mcti_buf_str(&note));
            any = true;
        }
        mcti_buf_clear(&note);
    }
    mcti_buf_addz(to, any ? "]" : "");
    mcti_buf_done(&note);
}

void mcti_trust_put_json(struct mcti_buf *to, const struct mcti_trust_file *f, bool recorded)
{
    char digest[MCT_TRUST_DIGEST_CHARS + 1];
    const struct mcti_config *c = &f->readings[0];
    struct mcti_strings expansions = { 0 };
    mcti_trust_digest(mcti_buf_str(&f->text), digest);
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "file", mcti_str_of(f->at.path));
    preview_put_text(to, "target", f->at.target);
    mcti_json_put_member(to, "sha256", mcti_str_of(digest));
    mcti_json_put_member(to, "state", mcti_str_of(recorded ? "trusted" : mcti_trust_word(&f->verdict)));
    put_notes(to, f);
    mcti_json_put_raw(to, "servers", MCT_STR("["));
    for (size_t k = 0; k < f->n_readings; k++)
        for (size_t i = 0; i < f->readings[k].n_servers; i++)
            if (!mcti_trust_is_shown(f, k, &f->readings[k].servers[i]))
                preview_put_server(to, &f->readings[k].servers[i]);
    mcti_buf_addc(to, ']');
    if (c->n_hooks)
        mcti_json_put_raw(to, "hooks", MCT_STR("["));
    for (size_t i = 0; i < c->n_hooks; i++) {
        mcti_buf_addz(to, i ? ",{" : "{");
        put_start(to, &c->hooks[i].run);
        mcti_buf_addz(to, i + 1 < c->n_hooks ? "}" : "}]");
    }
    mcti_json_put_raw(to, "settings", MCT_STR("["));
    mcti_trust_each_setting(f, put_setting, to);
    mcti_buf_addc(to, ']');
    mcti_trust_setting_expansions(f, &expansions);
    preview_put_strings(to, "expands", &expansions);
    mcti_strings_clear(&expansions);
    if (c->broken)
        mcti_json_put_member(to, "error", mcti_str_of(c->problems[c->broken_at].text));
    mcti_buf_addc(to, '}');
}
