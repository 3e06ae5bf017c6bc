/*
 * "sandbox" as it is written, for a server and for all servers: what its values mean, and what is wrong with them.
 * config/connect/sandbox.c makes the sandbox of a server from it.
 */
#ifndef MCT_CONFIG_SANDBOX_SANDBOX_H
#define MCT_CONFIG_SANDBOX_SANDBOX_H

#include "io/sandbox/sandbox.h"

struct mcti_config_sandbox {
    enum mcti_sandbox_mode mode;
    struct mcti_strings read, write;
    struct mcti_strings network; /* "on", "off" or HOST:PORT … */
    struct mcti_strings allow;   /* words of mcti_sandbox_allows */
    char *memory;                /* "512m" */
    unsigned processes;          /* 0: no limit */
};

/* Returns the mistake in a "sandbox", or NULL. */
const char *mcti_config_sandbox_mistake(const struct mcti_config_sandbox *x);
void mcti_config_clear_sandbox(struct mcti_config_sandbox *x);

/* Returns true if something other than the mode is set. */
bool mcti_config_sandbox_is_written(const struct mcti_config_sandbox *x);

/* Return the values that apply to a server: its own, otherwise those of all servers; 0: no limit. */
const struct mcti_strings *mcti_config_sandbox_network(const struct mcti_config_sandbox *all,
                                                       const struct mcti_config_sandbox *own);
uint64_t mcti_config_sandbox_memory(const struct mcti_config_sandbox *all, const struct mcti_config_sandbox *own);
unsigned mcti_config_sandbox_processes(const struct mcti_config_sandbox *all, const struct mcti_config_sandbox *own);

/* Returns what is allowed to a server, bits of mcti_sandbox_allows. */
unsigned mcti_config_sandbox_allow(const struct mcti_config_sandbox *all, const struct mcti_config_sandbox *own);

/* Returns the meaning of "network". */
enum mcti_sandbox_network mcti_config_network_of(const struct mcti_strings *network);

/* Splits HOST:PORT; HOST may be "*" or begin with "*.", PORT may be "*" (0). Returns false if the text is no peer. */
bool mcti_config_read_peer(struct mcti_str text, struct mcti_str *ret_host, unsigned *ret_port);

#endif
