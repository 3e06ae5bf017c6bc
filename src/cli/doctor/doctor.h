/*
 * `mcptools doctor`: checks of the configuration and the machine. A check is a function that says what it found; its
 * row is in doctor.c. No check starts a server, expands a secret or writes a file.
 */
#ifndef MCT_CLI_DOCTOR_DOCTOR_H
#define MCT_CLI_DOCTOR_DOCTOR_H

#include "cli/command.h"

enum mcti_doctor_state { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_ERROR };

struct mcti_doctor {
    struct mcti_app *app;
    const char *name;   /* of the check that runs */
    const char *headed; /* the last one whose name was printed */
    struct mcti_buf json;
    size_t n, n_warnings, n_errors;
    bool is_broken; /* the configuration has errors */
};

/* Reports one finding of the running check: what was found, and what to do about it. */
void mcti_doctor_say(struct mcti_doctor *d, enum mcti_doctor_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- setup.c ---- */
void mcti_doctor_configuration(struct mcti_doctor *d);
void mcti_doctor_folders(struct mcti_doctor *d);
void mcti_doctor_logins(struct mcti_doctor *d);
void mcti_doctor_clients(struct mcti_doctor *d);

/* ---- programs.c ---- */
void mcti_doctor_programs(struct mcti_doctor *d);

/* ---- network.c ---- */
void mcti_doctor_network(struct mcti_doctor *d);

/* ---- gateway.c ---- */
void mcti_doctor_gateway(struct mcti_doctor *d);
void mcti_doctor_port(struct mcti_doctor *d);

/* ---- machine.c ---- */
void mcti_doctor_terminal(struct mcti_doctor *d);
void mcti_doctor_system(struct mcti_doctor *d);

#endif
