#include "cli/pins/pinning.h"

#include "base/log/near.h"
#include "cli/target.h"

#include <stdlib.h>

/* ---- the words ---- */

static int pinning_read_words(struct mcti_pinning *p, struct mct_error *err)
{
    struct mcti_app *app = p->app;
    p->words = calloc((size_t)app->argc + 1, sizeof *p->words);
    if (!p->words)
        return mcti_no_memory(err);
    for (int i = 0; i < app->argc; i++) {
        struct mcti_pinning_word *w = &p->words[p->n_words++];
        w->server = mcti_app_server(app, app->argv[i], &w->item);
        if (!w->server)
            return mcti_target_no_server(app, app->argv[i], err);
        if (w->item && !*w->item)
            w->item = NULL;
        if (mcti_strings_add(&app->opt.servers, mcti_str_of(w->server->name)) < 0)
            return mcti_no_memory(err);
    }
    return 0;
}

bool mcti_pinning_selects(const struct mcti_pinning *p, const char *server, const char *id)
{
    for (size_t i = 0; i < p->n_words; i++)
        if (!strcmp(p->words[i].server->name, server) && (!p->words[i].item || !strcmp(p->words[i].item, id)))
            return true;
    return !p->n_words;
}

/* ---- what servers say ---- */

struct pinning_reader {
    struct mcti_pins *to;
    const char *server;
    enum mcti_kind kind;
    bool failed;
};

static void pinning_take(struct pinning_reader *r, unsigned subject, struct mcti_str id, struct mcti_str text)
{
    struct mcti_buf parts;
    mcti_buf_init(&parts, (size_t)1 << 30);
    r->failed |= mcti_pins_put_parts(&parts, (enum mcti_subject)subject, text) < 0 || !mcti_buf_ok(&parts) ||
                 mcti_pins_put(r->to, mcti_str_of(r->server), subject, id, mcti_buf_str(&parts)) < 0;
    mcti_buf_done(&parts);
}

static void pinning_on_item(void *data, const struct mcti_item *item, bool is_barred)
{
    struct pinning_reader *r = data;
    (void)is_barred;
    pinning_take(r, r->kind, mcti_item_id(item), mcti_item_json(item));
}

static int pinning_take_server(struct mcti_pinning *p, const struct mcti_provider *provider,
                               const struct mcti_config_server *s)
{
    struct pinning_reader r = { .to = &p->now, .server = s->name };
    struct mcti_buf about;
    mcti_buf_init(&about, 4096);
    r.failed = mcti_pins_put_about(&about, s) < 0 ||
               mcti_pins_put(&p->now, mcti_str_of(s->name), MCT_PIN_ABOUT, MCT_STR(""), mcti_buf_str(&about)) < 0;
    mcti_buf_done(&about);
    if (provider->info.instructions)
        pinning_take(&r, MCT_SUBJECT_INSTRUCTIONS, MCT_STR(""), mcti_str_of(provider->info.instructions));
    if (provider->info.server_info)
        pinning_take(&r, MCT_SUBJECT_SERVER_INFO, MCT_STR(""), mcti_str_of(provider->info.server_info));
    for (int k = 0; k < MCT_KIND_N; k++) {
        r.kind = (enum mcti_kind)k;
        mcti_vetted_each(provider, r.kind, pinning_on_item, &r);
    }
    return r.failed ? -1 : 0;
}

static int pinning_take_servers(struct mcti_pinning *p, struct mct_error *err)
{
    const struct mcti_registry *r = &p->app->inst.registry;
    for (size_t i = 0; i < r->n; i++) {
        const struct mcti_config_server *s = mcti_config_find(&p->app->inst.config, mcti_str_of(r->v[i]->name));
        bool whole = r->v[i]->state == MCT_CONNECTED && !mcti_provider_lacks_lists(r->v[i], NULL);
        if (s && s->file && whole && pinning_take_server(p, r->v[i], s) < 0)
            return mcti_no_memory(err);
    }
    return 0;
}

/* ---- pins ---- */

static bool pinning_has_read(const struct mcti_pinning *p, const char *path)
{
    for (size_t i = 0; i < p->n_read; i++)
        if (!strcmp(p->read[i], path))
            return true;
    return false;
}

/* Returns whether the pins of the server are in this file: another one may have pins of a server of the same name. */
static bool pinning_is_at(const struct mcti_pinning *p, const char *server, const char *path)
{
    const struct mcti_config_server *s = mcti_config_find(&p->app->inst.config, mcti_str_of(server));
    char *own = s ? mcti_pins_path(s) : NULL;
    bool is_at = own && !strcmp(own, path);
    free(own);
    return is_at;
}

/* Adds the pins of one file to `was`. */
static int pinning_read_file(struct mcti_pinning *p, const char *path, struct mct_error *err)
{
    struct mcti_pins file;
    mcti_pins_init(&file);
    int r = mcti_pins_load(path, &file, err);
    for (size_t k = 0; r == 0 && k < file.n; k++) {
        const struct mcti_pin *pin = file.v[k];
        if (pinning_is_at(p, pin->server, path) && mcti_pins_put(&p->was, mcti_str_of(pin->server), pin->subject,
                                                                 mcti_str_of(pin->id), mcti_str_of(pin->parts)) < 0)
            r = mcti_no_memory(err);
    }
    mcti_pins_done(&file);
    return r;
}

/* A damaged file may be written anew, but not for some of its servers: the pins of the others would be lost. */
static int pinning_read_pins(struct mcti_pinning *p, bool repairs, struct mct_error *err)
{
    const struct mcti_config *c = &p->app->inst.config;
    p->read = calloc(c->n_servers + 1, sizeof(char *));
    if (!p->read)
        return mcti_no_memory(err);
    for (size_t i = 0; i < c->n_servers; i++) {
        char *path = mcti_pins_path(&c->servers[i]);
        if (!path || pinning_has_read(p, path)) {
            free(path);
            continue;
        }
        p->read[p->n_read++] = path;
        int r = pinning_read_file(p, path, err);
        if (r < 0 && (!repairs || p->n_words || err->kind != MCT_ERR_CONFIG))
            return -1;
        p->is_damaged |= r < 0;
    }
    return 0;
}

/* Fails if a word names an item that neither the server nor its pins have. */
static int pinning_check_items(const struct mcti_pinning *p, struct mct_error *err)
{
    const struct mcti_pins *const lists[] = { &p->was, &p->now };
    for (size_t i = 0; i < p->n_words; i++) {
        const struct mcti_pinning_word *w = &p->words[i];
        struct mcti_near near = { .word = mcti_str_of(w->item) };
        char hint[MCT_NEAR_HINT_BYTES];
        bool found = !w->item || !mcti_pins_have(&p->now, w->server->name);
        for (size_t k = 0; !found && k < 2; k++)
            for (size_t n = 0; !found && n < lists[k]->n; n++) {
                if (strcmp(lists[k]->v[n]->server, w->server->name) != 0 || !*lists[k]->v[n]->id)
                    continue;
                found = !strcmp(lists[k]->v[n]->id, w->item);
                mcti_near_try(&near, mcti_str_of(lists[k]->v[n]->id));
            }
        if (!found)
            return mcti_fail(err, MCT_ERR_NOT_FOUND, "neither server '%s' nor its pins have '%s'%s", w->server->name,
                             w->item, mcti_near_hint(&near, hint));
    }
    return 0;
}

/* ---- life ---- */

static int pinning_prepare(struct mcti_pinning *p, bool repairs, struct mct_error *err)
{
    if (mcti_app_is_adhoc(p->app))
        return mcti_fail(err, MCT_ERR_USAGE, "only servers of a configuration file have pins");
    if (mcti_app_configure(p->app, err) < 0)
        return -1;
    if (p->app->demo)
        return mcti_fail(err, MCT_ERR_CONFIG, "no server is configured");
    return pinning_read_words(p, err) < 0 || pinning_read_pins(p, repairs, err) < 0 ||
                   mcti_app_open(p->app, NULL, false, err) < 0
               ? -1
               : 0;
}

int mcti_pinning_open(struct mcti_pinning *p, struct mcti_app *app, bool repairs)
{
    struct mct_error err;
    *p = (struct mcti_pinning){ .app = app };
    mcti_pins_init(&p->was);
    mcti_pins_init(&p->now);
    app->opt.alone = true; /* a running gateway passes on what is admitted only */
    app->unvetted = true;
    if (pinning_prepare(p, repairs, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (mcti_signin_settle(app) < 0)
        return mcti_out_interrupted(app);
    if (pinning_take_servers(p, &err) < 0 || pinning_check_items(p, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    return 0;
}

void mcti_pinning_done(struct mcti_pinning *p)
{
    for (size_t i = 0; i < p->n_read; i++)
        free(p->read[i]);
    free(p->read);
    free(p->words);
    mcti_pins_done(&p->was);
    mcti_pins_done(&p->now);
}

/* ---- comparing ---- */

static enum mcti_rev pinning_rev(const struct mcti_pinning *p, const char *server)
{
    const struct mcti_provider *provider = mcti_registry_find(&p->app->inst.registry, mcti_str_of(server));
    return provider ? provider->info.rev : MCT_REV_NONE;
}

size_t mcti_pinning_each(const struct mcti_pinning *p, void (*fn)(void *data, const struct mcti_pinning_change *c),
                         void *data)
{
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        const struct mcti_pins *of = pass ? &p->was : &p->now, *other = pass ? &p->now : &p->was;
        for (size_t i = 0; i < of->n; i++) {
            const struct mcti_pin *pin = of->v[i];
            const struct mcti_pin *match =
                mcti_pins_find(other, mcti_str_of(pin->server), pin->subject, mcti_str_of(pin->id));
            enum mcti_rev rev = pinning_rev(p, pin->server);
            if (!mcti_pinning_selects(p, pin->server, pin->id) || !mcti_pins_have(&p->now, pin->server))
                continue;
            if (match &&
                (pass || !mcti_pins_compare(mcti_str_of(match->parts), mcti_str_of(pin->parts), rev, NULL, NULL)))
                continue;
            const struct mcti_pinning_change c = { pin->server,
                                                   pin->subject,
                                                   pin->id,
                                                   pass ? pin->parts : match ? match->parts : NULL,
                                                   pass ? NULL : pin->parts,
                                                   rev };
            n++;
            if (fn)
                fn(data, &c);
        }
    }
    return n;
}
