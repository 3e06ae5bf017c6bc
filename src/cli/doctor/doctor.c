#include "cli/doctor/doctor.h"

#include "json/write.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *const words[] = { "ok", "warning", "error" };

static void doctor_print(struct mcti_doctor *d, enum mcti_doctor_state state, const char *text)
{
    enum { INDENT = 11 };
    static const enum mcti_style styles[] = { MCT_GREEN, MCT_YELLOW, MCT_RED };
    if (d->headed != d->name) {
        mcti_out_styled(d->app, MCT_BOLD, "%s", d->name);
        putchar('\n');
    }
    d->headed = d->name;
    fputs("  ", stdout);
    mcti_out_styled(d->app, styles[state], "%-8s", words[state]);
    putchar(' ');
    mcti_out_wrapped(d->app, MCT_PLAIN, INDENT, INDENT, mcti_str_of(text));
    putchar('\n');
}

static void doctor_put(struct mcti_doctor *d, enum mcti_doctor_state state, const char *text)
{
    mcti_buf_addz(&d->json, d->n ? ",{" : "{");
    mcti_json_put_member(&d->json, "check", mcti_str_of(d->name));
    mcti_json_put_member(&d->json, "state", mcti_str_of(words[state]));
    mcti_json_put_member(&d->json, "message", mcti_str_of(text));
    mcti_buf_addc(&d->json, '}');
}

void mcti_doctor_say(struct mcti_doctor *d, enum mcti_doctor_state state, const char *fmt, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (d->app->opt.output == MCT_OUT_JSON)
        doctor_put(d, state, text);
    else
        doctor_print(d, state, text);
    d->n++;
    d->n_warnings += state == DOCTOR_WARNING;
    d->n_errors += state == DOCTOR_ERROR;
}

/* Starts the servers and says what became of each. */
static void doctor_servers(struct mcti_doctor *d)
{
    struct mcti_app *app = d->app;
    struct mct_error err;
    if (!app->opt.with_servers || d->is_broken)
        return;
    if (mcti_app_open(app, NULL, false, &err) < 0) {
        mcti_doctor_say(d, DOCTOR_ERROR, "%s", err.message);
        return;
    }
    mcti_app_settle(app);
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        const struct mcti_provider *p = app->inst.registry.v[i];
        if (p->state == MCT_CONNECTED)
            mcti_doctor_say(d, DOCTOR_OK, "%s: connected, %zu tools", p->name, p->items[MCT_TOOL].n);
        else
            mcti_doctor_say(d, DOCTOR_ERROR, "%s: %s; 'mcptools status %s' shows more", p->name, p->error->message,
                            p->name);
    }
}

static const struct {
    const char *name;
    void (*run)(struct mcti_doctor *d);
} checks[] = {
    { "configuration", mcti_doctor_configuration },
    { "programs", mcti_doctor_programs },
    { "servers", doctor_servers },
    { "network", mcti_doctor_network },
    { "gateway", mcti_doctor_gateway },
    { "port", mcti_doctor_port },
    { "logins", mcti_doctor_logins },
    { "clients", mcti_doctor_clients },
    { "folders", mcti_doctor_folders },
    { "system", mcti_doctor_system },
    { "terminal", mcti_doctor_terminal },
};

static void doctor_finish(struct mcti_doctor *d)
{
    if (d->app->opt.output == MCT_OUT_JSON) {
        mcti_buf_printf(&d->json, "],\"errors\":%zu,\"warnings\":%zu}", d->n_errors, d->n_warnings);
        mcti_out_json(d->app, mcti_buf_str(&d->json));
    } else if (d->n_errors || d->n_warnings) {
        mcti_out(d->app, "%zu error%s, %zu warning%s\n", d->n_errors, d->n_errors == 1 ? "" : "s", d->n_warnings,
                 d->n_warnings == 1 ? "" : "s");
    } else {
        mcti_out(d->app, "no problems found\n");
    }
}

/* Runs all checks. Returns the exit status. */
static int doctor_run(struct mcti_app *app)
{
    struct mcti_doctor d = { .app = app };
    mcti_out_page(app);
    mcti_buf_init(&d.json, 1u << 24);
    mcti_buf_addz(&d.json, "{\"checks\":[");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        d.name = checks[i].name;
        checks[i].run(&d);
    }
    doctor_finish(&d);
    mcti_buf_done(&d.json);
    if (d.is_broken)
        return mcti_error_exit_status(MCT_ERR_CONFIG);
    return d.n_errors ? mcti_error_exit_status(MCT_ERR_PARTIAL) : 0;
}

int mcti_cmd_doctor(struct mcti_app *app)
{
    struct mct_error err;
    app->log.write = NULL; /* mistakes of the configuration are findings */
    if (mcti_app_configure(app, &err) < 0 && !app->inst.config.broken)
        return mcti_out_fail(app, &err, NULL);
    if (!app->opt.with_servers) /* with servers, opening them does so */
        mcti_signals_watch(app);
    return doctor_run(app);
}
