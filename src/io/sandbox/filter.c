/* Compiles a deny-list to a classic BPF program for seccomp. */
#include "io/sandbox/impl.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define FILTER_ARCH AUDIT_ARCH_X86_64
#define FILTER_X32 0x40000000u /* set in the numbers of the x32 ABI */
#elif defined __aarch64__
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

enum { MAX_INSTRUCTIONS = 4096 }; /* the kernel's limit */

struct program {
    struct sock_filter *v;
    size_t n, max;
    bool failed;
};

static void program_add(struct program *p, struct sock_filter instruction)
{
    if (p->n == p->max) {
        size_t max = p->max ? p->max * 2 : 256;
        struct sock_filter *v = max <= MAX_INSTRUCTIONS ? realloc(p->v, max * sizeof *v) : NULL;
        p->failed |= !v;
        if (!v)
            return;
        p->v = v;
        p->max = max;
    }
    p->v[p->n++] = instruction;
}

static void program_jump(struct program *p, unsigned code, uint32_t k, size_t if_true, size_t if_false)
{
    program_add(
        p, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | code | BPF_K), k, (uint8_t)if_true, (uint8_t)if_false));
}

static void program_load(struct program *p, size_t offset)
{
    program_add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void program_return(struct program *p, uint32_t value)
{
    program_add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
}

static void program_fail(struct program *p, int error)
{
    program_return(p, SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA));
}

/* Returns the offset of the lower (0) or upper (1) half of an argument. */
static size_t argument_at(unsigned arg, unsigned half)
{
    bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    return offsetof(struct seccomp_data, args) + (size_t)arg * 8 + (size_t)(half ^ swap) * 4;
}

/* The lengths of the code for a condition, which must agree with condition_add(). */
static size_t condition_length(const struct mcti_sandbox_condition *c)
{
    static const size_t lengths[] = {
        [OP_NONE] = 0, [OP_EQ] = 2, [OP_NE] = 2, [OP_ANY_BIT] = 2, [OP_MASK_EQ] = 3, [OP_MASK_NE] = 3, [OP_SET] = 4
    };
    return lengths[c->op];
}

/* Adds code that goes on if the condition holds, and otherwise jumps over `rest` instructions behind it. */
static void condition_add(struct program *p, const struct mcti_sandbox_condition *c, size_t rest)
{
    if (c->op == OP_SET) {
        program_load(p, argument_at(c->arg, 1));
        program_jump(p, BPF_JEQ, 0, 0, 2); /* the upper half is set: it holds */
        program_load(p, argument_at(c->arg, 0));
        program_jump(p, BPF_JEQ, 0, rest, 0);
        return;
    }
    program_load(p, argument_at(c->arg, 0));
    if (c->op == OP_MASK_EQ || c->op == OP_MASK_NE)
        program_add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, c->mask));
    if (c->op == OP_ANY_BIT)
        program_jump(p, BPF_JSET, c->value, 0, rest);
    else if (c->op == OP_EQ || c->op == OP_MASK_EQ)
        program_jump(p, BPF_JEQ, c->value, 0, rest);
    else
        program_jump(p, BPF_JEQ, c->value, rest, 0);
}

/* Adds a row: it is left, with the number loaded again, unless the number and all conditions match. */
static void row_add(struct program *p, const struct mcti_sandbox_denied_call *row)
{
    enum { RETURN = 1, RELOAD = 1 };
    size_t length = 0;
    for (size_t i = 0; i < MCT_DENIED_CONDITIONS; i++)
        length += condition_length(&row->conditions[i]);
    program_jump(p, BPF_JEQ, (uint32_t)row->number, 0, length + RETURN + (length ? RELOAD : 0));
    size_t rest = length + RETURN;
    for (size_t i = 0; i < MCT_DENIED_CONDITIONS && row->conditions[i].op; i++) {
        rest -= condition_length(&row->conditions[i]);
        condition_add(p, &row->conditions[i], rest);
    }
    program_fail(p, row->error);
    if (length)
        program_load(p, offsetof(struct seccomp_data, nr));
}

#ifdef FILTER_ARCH

static void program_begin(struct program *p)
{
    program_load(p, offsetof(struct seccomp_data, arch));
    program_jump(p, BPF_JEQ, FILTER_ARCH, 1, 0);
    program_fail(p, EPERM); /* another ABI (i386, arm), whose numbers mean other calls */
    program_load(p, offsetof(struct seccomp_data, nr));
#ifdef FILTER_X32
    program_jump(p, BPF_JGE, FILTER_X32, 0, 1);
    program_fail(p, EPERM);
#endif
}

/* Fills in the process that prepares the filter. */
static struct mcti_sandbox_denied_call row_of_gateway(const struct mcti_sandbox_denied_call *row)
{
    struct mcti_sandbox_denied_call own = *row;
    for (size_t i = 0; i < MCT_DENIED_CONDITIONS; i++) {
        struct mcti_sandbox_condition *c = &own.conditions[i];
        if (c->op == OP_GATEWAY)
            *c = (struct mcti_sandbox_condition){ c->arg, OP_EQ, (uint32_t)getpid(), 0 };
        else if (c->op == OP_GATEWAY_GROUP)
            *c = (struct mcti_sandbox_condition){ c->arg, OP_EQ, (uint32_t)-getpgrp(), 0 };
    }
    return own;
}

int mcti_filter_compile(const struct mcti_sandbox_denied_call *rows, size_t n, const struct mcti_sandbox *s,
                        struct sock_fprog *ret)
{
    struct program p = { 0 };
    program_begin(&p);
    for (size_t i = 0; i < n; i++) {
        bool applies = !rows[i].networks || rows[i].networks >> s->network & 1;
        const struct mcti_sandbox_denied_call row = row_of_gateway(&rows[i]);
        if (applies && !(row.unless & s->allow))
            row_add(&p, &row);
    }
    program_return(&p, SECCOMP_RET_ALLOW);
    if (p.failed) {
        free(p.v);
        return -1;
    }
    *ret = (struct sock_fprog){ (unsigned short)p.n, p.v };
    return 0;
}

bool mcti_filter_is_available(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

#else

int mcti_filter_compile(const struct mcti_sandbox_denied_call *rows, size_t n, const struct mcti_sandbox *s,
                        struct sock_fprog *ret)
{
    (void)rows, (void)n, (void)s, (void)ret;
    return 0;
}

bool mcti_filter_is_available(void)
{
    return false;
}

#endif

int mcti_filter_enter(const struct mcti_sandbox *s)
{
    if (!s->filter.len)
        return 0;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &s->filter);
}
