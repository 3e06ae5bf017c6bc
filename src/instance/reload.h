/*
 * Reads the configuration of a running instance again: by request, at SIGHUP, or when its files change. Only servers
 * whose entries changed are restarted. The new process starts beside the old one, which ends after its last call, so
 * that no call is lost. A configuration that cannot be used changes nothing.
 */
#ifndef MCT_INSTANCE_RELOAD_H
#define MCT_INSTANCE_RELOAD_H

#include "instance/instance.h"

struct mcti_reload_opts {
    /* Reads the files into `to`, which is empty. Returns -1 with *err. */
    int (*read)(void *data, struct mcti_config *to, struct mct_error *err);
    /* Appends the paths of the files that `read` reads or would read if they existed. Returns -1 when out of memory. */
    int (*places)(void *data, struct mcti_strings *to);
    /* Receives what a reload has done: "configuration reloaded: +NAME …". Failures are logged as errors instead. */
    void (*told)(void *data, const char *text);
    void *data;
    struct mcti_choices choices; /* as for mcti_instance_configure(); its texts are borrowed */
};

/* Makes the instance able to reload, and watches its files unless serve.watch is false. Called after
 * mcti_instance_connect(). Returns -1 when out of memory. */
int mcti_reload_open(struct mcti_instance *i, const struct mcti_reload_opts *o);

/* Stops watching, and ends the servers that were to replace others. Called when the instance stops. */
void mcti_reload_close(struct mcti_instance *i);

/* Frees the rest, after the servers. */
void mcti_reload_free(struct mcti_instance *i);

/* Reads the files and applies what has changed. If that is impossible, logs why, keeps everything as it is, and returns
 * -1 with *err. Without mcti_reload_open() only returns -1. */
int mcti_instance_reload(struct mcti_instance *i, struct mct_error *err);

/* Returns the result of the last reload that succeeded, as it was told; NULL: none. */
const char *mcti_reload_last(const struct mcti_instance *i);

#endif
