/*
 * The system calls that a sandboxed program cannot make. Calls that a kernel of the build machine does not know have
 * numbers of their own here; since Linux 5.1 new ones have the same number on all architectures of this file.
 */
#include "io/sandbox/impl.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define NAMESPACES                                                                                                     \
    (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)

enum { ON = 1 << MCT_SANDBOX_NET_ON, OFF = 1 << MCT_SANDBOX_NET_OFF, LIST = 1 << MCT_SANDBOX_NET_LIST };
enum { IOCTL_TIOCSTI = 0x5412, IOCTL_TIOCLINUX = 0x541c, IOCTL_TIOCSETD = 0x5423 };
enum { TYPE_BITS = 0xf, PROTOCOL_TCP = 6, ROUTE = 0, PERSONALITY_QUERY = -1, EVERYBODY = -1, IO_OF_USER = 3 };
enum { PERSONALITY_UNAME = 0x20000, PERSONALITY_NO_RANDOM = 0x40000 };

/* Mounts and others that are newer than the headers of Debian 12. */
enum {
    NR_FSCONFIG = 431,
    NR_OPEN_TREE = 428,
    NR_MOVE_MOUNT = 429,
    NR_FSOPEN = 430,
    NR_FSMOUNT = 432,
    NR_FSPICK = 433,
    NR_CLONE3 = 435,
    NR_PIDFD_OPEN = 434,
    NR_PIDFD_GETFD = 438,
    NR_MOUNT_SETATTR = 442,
    NR_QUOTACTL_FD = 443,
    NR_PROCESS_MADVISE = 440,
    NR_IO_URING_SETUP = 425,
    NR_IO_URING_ENTER = 426,
    NR_IO_URING_REGISTER = 427,
    NR_OPEN_TREE_ATTR = 467,
    NR_MEMFD_SECRET = 447,
    NR_LSM_SET_SELF_ATTR = 460,
};

#define NO(name)                                                                                                       \
    {                                                                                                                  \
        .number = SYS_##name, .error = EPERM                                                                           \
    }
#define NO_NR(number_)                                                                                                 \
    {                                                                                                                  \
        .number = NR_##number_, .error = EPERM                                                                         \
    }
#define NO_UNLESS(name, bit)                                                                                           \
    {                                                                                                                  \
        .number = SYS_##name, .error = EPERM, .unless = MCT_SANDBOX_##bit                                              \
    }
#define NO_IF(name, ...)                                                                                               \
    {                                                                                                                  \
        .number = SYS_##name, .error = EPERM, .conditions = { __VA_ARGS__ }                                            \
    }
#define NO_SOCKET(nets, ...)                                                                                           \
    {                                                                                                                  \
        .number = SYS_socket, .error = EPERM, .networks = nets, .conditions = { __VA_ARGS__ }                          \
    }
#define NO_FAST_OPEN(name, arg)                                                                                        \
    {                                                                                                                  \
        .number = SYS_##name, .error = EPERM, .networks = LIST, .conditions = { { arg, OP_ANY_BIT, MSG_FASTOPEN, 0 } } \
    }

const struct mcti_sandbox_denied_call mcti_sandbox_denied[] = {
    /* other processes */
    NO_UNLESS(ptrace, DEBUG),
    NO_UNLESS(process_vm_readv, DEBUG),
    NO_UNLESS(process_vm_writev, DEBUG),
    { .number = NR_PIDFD_GETFD, .error = EPERM, .unless = MCT_SANDBOX_DEBUG },
    NO_UNLESS(kcmp, DEBUG),
    NO_NR(PROCESS_MADVISE),
    NO_IF(prlimit64, { 0, OP_NE, 0, 0 }, { 2, OP_SET, 0, 0 }),
    NO(migrate_pages),
    NO(move_pages),

    /* the gateway; Landlock of Linux 6.12 keeps signals from all other processes */
    NO_IF(kill, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(kill, { 0, OP_GATEWAY_GROUP, 0, 0 }),
    NO_IF(kill, { 0, OP_EQ, (uint32_t)EVERYBODY, 0 }),
    NO_IF(tkill, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(tgkill, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(rt_sigqueueinfo, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(rt_tgsigqueueinfo, { 0, OP_GATEWAY, 0, 0 }),
    { .number = NR_PIDFD_OPEN, .error = EPERM, .conditions = { { 0, OP_GATEWAY, 0, 0 } } },
    NO_IF(setpriority, { 0, OP_EQ, PRIO_PROCESS, 0 }, { 1, OP_GATEWAY, 0, 0 }),
    NO_IF(setpriority, { 0, OP_EQ, PRIO_USER, 0 }),
    NO_IF(ioprio_set, { 1, OP_GATEWAY, 0, 0 }),
    NO_IF(ioprio_set, { 0, OP_EQ, IO_OF_USER, 0 }),
    NO_IF(sched_setscheduler, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(sched_setparam, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(sched_setattr, { 0, OP_GATEWAY, 0, 0 }),
    NO_IF(sched_setaffinity, { 0, OP_GATEWAY, 0, 0 }),

    /* memory and queues that all processes of the user share */
    NO_UNLESS(shmget, UNIX),
    NO_UNLESS(shmat, UNIX),
    NO_UNLESS(semget, UNIX),
    NO_UNLESS(msgget, UNIX),
    NO_UNLESS(mq_open, UNIX),

    /* namespaces and mounts */
    NO_UNLESS(unshare, NAMESPACES),
    NO_UNLESS(setns, NAMESPACES),
    { .number = SYS_clone,
      .error = EPERM,
      .unless = MCT_SANDBOX_NAMESPACES,
      .conditions = { { 0, OP_ANY_BIT, NAMESPACES, 0 } } },
    /* its flags are in memory, out of reach; C libraries use clone() instead */
    { .number = NR_CLONE3, .error = ENOSYS, .unless = MCT_SANDBOX_NAMESPACES },
    NO_UNLESS(mount, NAMESPACES),
    NO_UNLESS(umount2, NAMESPACES),
    NO_UNLESS(pivot_root, NAMESPACES),
    NO_UNLESS(chroot, NAMESPACES),
    NO_NR(OPEN_TREE),
    NO_NR(MOVE_MOUNT),
    NO_NR(FSOPEN),
    NO_NR(FSCONFIG),
    NO_NR(FSMOUNT),
    NO_NR(FSPICK),
    NO_NR(MOUNT_SETATTR),
    NO_NR(OPEN_TREE_ATTR),

    /* files without a path, which Landlock does not see */
    NO(open_by_handle_at),
    NO(fanotify_init),

    /* large parts of the kernel that servers do not need */
    NO(bpf),
    NO(perf_event_open),
    NO(userfaultfd),
    NO_NR(IO_URING_SETUP),
    NO_NR(IO_URING_ENTER),
    NO_NR(IO_URING_REGISTER),
    NO(keyctl),
    NO(add_key),
    NO(request_key),
    NO_NR(MEMFD_SECRET),
    NO_NR(LSM_SET_SELF_ATTR),
    NO(vhangup),

    /* the machine */
    NO(init_module),
    NO(finit_module),
    NO(delete_module),
    NO(kexec_load),
#ifdef SYS_kexec_file_load
    NO(kexec_file_load),
#endif
    NO(reboot),
    NO(swapon),
    NO(swapoff),
    NO(acct),
    NO(quotactl),
    NO_NR(QUOTACTL_FD),
    NO(syslog),
    NO(settimeofday),
    NO(clock_settime),
    NO(clock_adjtime),
    NO(adjtimex),
    NO(sethostname),
    NO(setdomainname),
    NO(mbind),
    NO(set_mempolicy),
#ifdef __x86_64__
    NO(iopl),
    NO(ioperm),
    NO(modify_ldt),
#endif
    NO_IF(personality, { 0, OP_NE, 0, 0 }, { 0, OP_NE, (uint32_t)PERSONALITY_QUERY, 0 },
          { 0, OP_NE, PERSONALITY_UNAME, 0 }, { 0, OP_NE, PERSONALITY_NO_RANDOM, 0 }),

    /* typing into a terminal */
    NO_IF(ioctl, { 1, OP_EQ, IOCTL_TIOCSTI, 0 }),
    NO_IF(ioctl, { 1, OP_EQ, IOCTL_TIOCLINUX, 0 }),
    NO_IF(ioctl, { 1, OP_EQ, IOCTL_TIOCSETD, 0 }),

    /* the mark by which the gateway finds the processes of a server (io/process/tree.h) */
    NO_IF(setrlimit, { 0, OP_EQ, RLIMIT_RTTIME, 0 }),
    NO_IF(prlimit64, { 1, OP_EQ, RLIMIT_RTTIME, 0 }, { 2, OP_SET, 0, 0 }),

    /* sockets: families, then what is possible with them */
    NO_SOCKET(0, { 0, OP_NE, AF_UNIX, 0 }, { 0, OP_NE, AF_INET, 0 }, { 0, OP_NE, AF_INET6, 0 },
              { 0, OP_NE, AF_NETLINK, 0 }),
    NO_SOCKET(0, { 0, OP_EQ, AF_NETLINK, 0 }, { 2, OP_NE, ROUTE, 0 }),
    NO_SOCKET(0, { 0, OP_NE, AF_NETLINK, 0 }, { 1, OP_MASK_EQ, SOCK_RAW, TYPE_BITS }),
    NO_SOCKET(0, { 1, OP_MASK_EQ, SOCK_PACKET, TYPE_BITS }),
    { .number = SYS_socket, .error = EPERM, .unless = MCT_SANDBOX_UNIX, .conditions = { { 0, OP_EQ, AF_UNIX, 0 } } },
    /* a pair of datagram sockets can send to any other one */
    { .number = SYS_socketpair,
      .error = EPERM,
      .unless = MCT_SANDBOX_UNIX,
      .conditions = { { 1, OP_MASK_NE, SOCK_STREAM, TYPE_BITS }, { 1, OP_MASK_NE, SOCK_SEQPACKET, TYPE_BITS } } },
    NO_SOCKET(OFF, { 0, OP_EQ, AF_INET, 0 }),
    NO_SOCKET(OFF, { 0, OP_EQ, AF_INET6, 0 }),
    NO_SOCKET(LIST, { 0, OP_EQ, AF_INET, 0 }, { 1, OP_MASK_NE, SOCK_STREAM, TYPE_BITS }),
    NO_SOCKET(LIST, { 0, OP_EQ, AF_INET6, 0 }, { 1, OP_MASK_NE, SOCK_STREAM, TYPE_BITS }),
    NO_SOCKET(LIST, { 0, OP_EQ, AF_INET, 0 }, { 2, OP_NE, 0, 0 }, { 2, OP_NE, PROTOCOL_TCP, 0 }),
    NO_SOCKET(LIST, { 0, OP_EQ, AF_INET6, 0 }, { 2, OP_NE, 0, 0 }, { 2, OP_NE, PROTOCOL_TCP, 0 }),
    NO_FAST_OPEN(sendto, 3), /* connects without connect(), which Landlock does not see */
    NO_FAST_OPEN(sendmsg, 2),
    NO_FAST_OPEN(sendmmsg, 3),
};

const size_t mcti_sandbox_n_denied = sizeof mcti_sandbox_denied / sizeof *mcti_sandbox_denied;
