/*
 * What a child process may do: files, network, system calls, memory and processes. A sandbox is prepared in the parent,
 * which opens files and allocates memory, and is entered by the child between vfork and exec with system calls only.
 * It holds for the child and all its descendants, and cannot be left. It does not decide what a server needs:
 * config/connect/sandbox.c does.
 *
 * Linux only (Landlock, seccomp, namespaces, cgroups). Elsewhere a strict sandbox fails, and a best-effort one protects
 * nothing and says so.
 */
#ifndef MCT_IO_SANDBOX_SANDBOX_H
#define MCT_IO_SANDBOX_SANDBOX_H

#include "base/error.h"
#include "base/strings.h"

#include <stdint.h>

enum mcti_sandbox_mode {
    MCT_SANDBOX_UNSET,
    MCT_SANDBOX_OFF,
    MCT_SANDBOX_BEST_EFFORT, /* as much as this system can */
    MCT_SANDBOX_STRICT,      /* everything, or the program is not started */
};

enum mcti_sandbox_network {
    MCT_SANDBOX_NET_UNSET,
    MCT_SANDBOX_NET_ON,
    MCT_SANDBOX_NET_OFF,
    MCT_SANDBOX_NET_LIST, /* only through the proxy of struct mcti_sandbox_gate */
};

/* Bits of what is forbidden unless it is allowed. */
enum {
    MCT_SANDBOX_NAMESPACES = 1, /* user and other namespaces, which browsers need */
    MCT_SANDBOX_UNIX = 2,       /* UNIX sockets: D-Bus, Docker, ssh-agent, the screen */
    MCT_SANDBOX_DEBUG = 4,      /* ptrace and the like */
    MCT_SANDBOX_PRIVATE = 8,    /* names of an allow-list may have private addresses */
};

/* Names and meanings of the words of "sandbox". */
extern const struct mcti_word mcti_sandbox_modes[], mcti_sandbox_networks[], mcti_sandbox_allows[];

/* A file or folder that the child may use, with everything in it. */
struct mcti_sandbox_path {
    char *path;    /* absolute */
    bool write;    /* it may be changed, too */
    bool optional; /* its absence is no fault */
};

struct mcti_sandbox_paths {
    struct mcti_sandbox_path *v;
    size_t n;
};

/* Appends a path, unless the list covers it already. Returns -1 when out of memory, also if the path is NULL. */
int mcti_sandbox_paths_add(struct mcti_sandbox_paths *to, char *take_path, bool write, bool optional);

/* What a child is to be allowed. */
struct mcti_sandbox_wish {
    enum mcti_sandbox_mode mode;
    enum mcti_sandbox_network network;
    unsigned allow;                  /* bits */
    struct mcti_sandbox_paths paths; /* readable, executable, and some writable */
    /* Never available as part of a folder in `paths`; `hidden` is available if `paths` names it or something in it. */
    struct mcti_strings hidden, sealed;
    uint64_t memory_bytes; /* of all processes; 0: no limit */
    unsigned processes;    /* 0: no limit */
    char *label;           /* name of the server */
};

void mcti_sandbox_wish_done(struct mcti_sandbox_wish *w);

struct mcti_sandbox;

/* Prepares a sandbox. Returns NULL and sets *err on failure: out of memory, or a strict one that this system cannot
 * give, or one whose temporary folder cannot be created. `w` must not be OFF or UNSET; it is borrowed for the call. */
struct mcti_sandbox *mcti_sandbox_new(const struct mcti_sandbox_wish *w, struct mct_error *err);

/* Frees the sandbox, kills what is left in its cgroup, and removes its temporary folder. NULL does nothing. */
void mcti_sandbox_free(struct mcti_sandbox *s);

/* Frees what only the start needs (descriptors); the child has been started, or its start has failed. */
void mcti_sandbox_started(struct mcti_sandbox *s);

/* Sends SIGKILL to every process of the sandbox at once. Returns false if there is no cgroup to do so. */
bool mcti_sandbox_kill(struct mcti_sandbox *s);

/* Where a child with an allow-list finds its proxy: a socket that listens at 127.0.0.1, in the child's own network
 * namespace or (`secret` is not empty) in that of this process. */
struct mcti_sandbox_gate {
    int fd; /* moves to the caller; -1: the network is not limited by a list */
    unsigned port;
    char secret[33]; /* password of the proxy */
};

void mcti_sandbox_take_gate(struct mcti_sandbox *s, struct mcti_sandbox_gate *ret);

/* Returns the environment for exec: `envp` with TMPDIR and the variables of proxies replaced. Owned by `s`. Returns
 * NULL when out of memory. */
char *const *mcti_sandbox_environ(struct mcti_sandbox *s, char *const *envp);

/* Returns what holds, a JSON object; valid as long as `s`. */
struct mcti_str mcti_sandbox_report(const struct mcti_sandbox *s);

/* Enters the sandbox in the child, with system calls only. Returns NULL, or the step that failed, and then errno tells
 * why. */
const char *mcti_sandbox_enter(const struct mcti_sandbox *s);

/* Returns true if entering the sandbox changes whether this process may be traced, a property that a vfork child
 * shares: the caller must restore it. */
bool mcti_sandbox_taints(const struct mcti_sandbox *s);

/* What this system offers, for people. */
struct mcti_sandbox_offer {
    int landlock; /* version of the ABI; 0: none */
    bool seccomp, namespaces, cgroup;
    char why_no_cgroup[128];
};

void mcti_sandbox_probe(struct mcti_sandbox_offer *ret);

#endif
