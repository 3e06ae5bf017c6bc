#include "instance/telemetry.h"

#include "config/expand/expand.h"
#include "telemetry/telemetry.h"

#include <stdlib.h>

static void instance_on_log(enum mct_log_level level, const char *line, void *data)
{
    const struct mcti_instance *i = data;
    if (i->owner_log->write)
        i->owner_log->write(level, line, i->owner_log->data);
    mcti_telemetry_log(i->telemetry, level, line);
}

struct mcti_log mcti_instance_tee(struct mcti_instance *i, const struct mcti_log *log)
{
    return (struct mcti_log){ .level = log->level, .write = instance_on_log, .data = i };
}

static const char *no_variable(const char *name)
{
    (void)name;
    return NULL;
}

/* Expands the variables in the values of headers, in place: nothing else reads them. */
static int expand_headers(struct mcti_pairs *headers, struct mct_error *err)
{
    for (size_t k = 0; k < headers->n; k++) {
        char *value = mcti_expand(headers->v[k].value, err);
        if (!value)
            return mcti_error_wrap(err, "mcptools.telemetry.headers.%s", headers->v[k].key);
        mcti_secret_free(headers->v[k].value);
        headers->v[k].value = value;
    }
    return 0;
}

int mcti_instance_open_telemetry(struct mcti_instance *i, const char *(*lookup)(const char *name),
                                 struct mct_error *err)
{
    struct mcti_config_telemetry *c = &i->config.telemetry;
    if (expand_headers(&c->headers, err) < 0)
        return -1;
    const struct mcti_telemetry_opts opts = { .loop = &i->loop,
                                              .registry = &i->registry,
                                              .log = i->log,
                                              .config = { .endpoint = c->endpoint,
                                                          .headers = &c->headers,
                                                          .off = { !c->traces, !c->metrics, !c->logs },
                                                          .arguments = c->arguments },
                                              .lookup = lookup ? lookup : no_variable };
    if (mcti_telemetry_open(&opts, &i->telemetry, err) < 0)
        return mcti_error_wrap(err, "telemetry");
    i->events.tracer = mcti_telemetry_tracer(i->telemetry);
    return 0;
}

void mcti_instance_flush_telemetry(struct mcti_instance *i, void (*done)(void *flag), bool *flag)
{
    i->events.tracer = NULL;
    if (i->telemetry)
        mcti_telemetry_flush(i->telemetry, done, flag);
    else
        done(flag);
}

void mcti_instance_close_telemetry(struct mcti_instance *i)
{
    mcti_telemetry_free(i->telemetry);
    i->telemetry = NULL;
}
