/* Shared by the files of this room: the prepared sandbox, and one section for each file. */
#ifndef MCT_IO_SANDBOX_IMPL_H
#define MCT_IO_SANDBOX_IMPL_H

#include "io/sandbox/sandbox.h"

#include "base/buf.h"

#include <linux/filter.h>

struct mcti_sandbox_paths_report {
    struct mcti_buf read, write, absent; /* items of JSON arrays */
};

struct mcti_sandbox {
    enum mcti_sandbox_mode mode;
    enum mcti_sandbox_network network;
    unsigned allow;
    int landlock;   /* version of the ABI in use; 0: none */
    int ruleset_fd; /* Landlock; -1: none */
    struct sock_fprog filter;
    unsigned n_processes;   /* soft and hard limit for RLIMIT_NPROC; 0: none */
    uint64_t data_bytes;    /* for RLIMIT_DATA; 0: none */
    bool drop_capabilities; /* this process has some */
    int user_ns, net_ns;    /* namespaces to enter; -1: none */
    struct mcti_sandbox_gate gate;
    int cgroup_procs_fd;    /* to enter the cgroup; -1: none */
    char *cgroup;           /* path of the folder */
    bool cgroup_holds;      /* it has the limits that are wished */
    char no_cgroup[128];    /* why not */
    char *folder;           /* for temporary files */
    char **envp;            /* ended by NULL; owned */
    struct mcti_buf report; /* JSON */
    struct mcti_buf faults; /* items of a JSON array: what does not hold */
    struct mcti_buf limits; /* members of the report about memory and processes */
    struct mcti_sandbox_paths_report paths;
};

/* Notes that something does not hold. In a strict sandbox sets *err and returns -1; otherwise returns 0. */
int mcti_sandbox_lacks(struct mcti_sandbox *s, struct mct_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- landlock.c ---- */

/* Returns the version of the ABI; 0: none. */
int mcti_landlock_abi(void);

/* Creates the ruleset. Returns -1 and sets *err if a strict sandbox cannot have it, or when out of memory. */
int mcti_landlock_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err);

/* Restricts the calling task. Returns -1 and sets errno on failure. */
int mcti_landlock_enter(const struct mcti_sandbox *s);

/* ---- filter.c, denied.c ---- */

/* A condition on one argument of a system call; only the lower 32 bits are compared, but by SET. GATEWAY: it is the
 * process id of the gateway; GATEWAY_GROUP: that of its process group, as kill() has it. */
enum mcti_sandbox_op {
    OP_NONE,
    OP_EQ,
    OP_NE,
    OP_ANY_BIT,
    OP_MASK_EQ,
    OP_MASK_NE,
    OP_SET,
    OP_GATEWAY,
    OP_GATEWAY_GROUP
};

struct mcti_sandbox_condition {
    unsigned arg;
    enum mcti_sandbox_op op;
    uint32_t value, mask;
};

enum { MCT_DENIED_CONDITIONS = 4 };

/* A system call that fails with `error` if all conditions hold. */
struct mcti_sandbox_denied_call {
    int number;
    int error;
    unsigned unless;   /* bit of `allow` that lifts it; 0: none */
    unsigned networks; /* bits (1 << enum mcti_sandbox_network) with which it applies; 0: all */
    struct mcti_sandbox_condition conditions[MCT_DENIED_CONDITIONS];
};

extern const struct mcti_sandbox_denied_call mcti_sandbox_denied[];
extern const size_t mcti_sandbox_n_denied;

/* Compiles the rows that apply to a BPF program, owned by the caller. Returns -1 when out of memory. */
int mcti_filter_compile(const struct mcti_sandbox_denied_call *rows, size_t n, const struct mcti_sandbox *s,
                        struct sock_fprog *ret);

/* Filters the system calls of the calling task. Returns -1 and sets errno on failure. */
int mcti_filter_enter(const struct mcti_sandbox *s);
bool mcti_filter_is_available(void);

/* ---- limits.c ---- */

int mcti_sandbox_limits_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err);

/* Sets the limits of the calling process. Returns -1 and sets errno on failure. */
int mcti_sandbox_limits_enter(const struct mcti_sandbox *s);

/* Gives up the capabilities that a program of root does not need. Returns -1 and sets errno on failure. */
int mcti_capabilities_drop(const struct mcti_sandbox *s);
bool mcti_capabilities_any(void);

/* ---- namespace.c ---- */

/* Creates the namespaces that the sandbox needs: for an allow-list, and to count processes. Returns -1 and sets *err
 * if a strict sandbox cannot have them. */
int mcti_namespace_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err);

/* Moves the calling task into them. Returns -1 and sets errno on failure. */
int mcti_namespace_enter(const struct mcti_sandbox *s);
bool mcti_namespace_is_available(void);

/* ---- cgroup.c ---- */

/* Creates a cgroup with the limits, if one has been delegated. Returns true if the limits hold; otherwise *ret_why
 * tells why not. */
bool mcti_cgroup_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, char *ret_why, size_t size);
int mcti_cgroup_enter(const struct mcti_sandbox *s);
bool mcti_cgroup_kill(const struct mcti_sandbox *s);
void mcti_cgroup_remove(struct mcti_sandbox *s);
bool mcti_cgroup_is_available(char *ret_why, size_t size);

/* ---- folder.c ---- */

/* Creates the folder for temporary files. Returns -1 and sets *err on failure. */
int mcti_sandbox_folder_make(struct mcti_sandbox *s, const char *label, struct mct_error *err);

/* Removes a folder with what is in it; links are removed and not followed. Gives up after a number of files. */
void mcti_sandbox_folder_remove(const char *path);

/* ---- report.c ---- */

/* Appends an item to a list of texts. */
void mcti_sandbox_put_item(struct mcti_buf *to, struct mcti_str text);

/* Writes s->report from what was prepared. Returns -1 when out of memory. */
int mcti_sandbox_write_report(struct mcti_sandbox *s, struct mct_error *err);

#endif
