#pragma once

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock (Documentation/userspace-api/landlock.rst of Linux 6.18) and seccomp (seccomp(2)), by their system calls: the C
// library has no functions for them, and the kernel headers of a release know less than a newer kernel does.

// The numbers are the same on every architecture.
enum { COUNTERSIGN_LANDLOCK_CREATE = 444, COUNTERSIGN_LANDLOCK_ADD = 445, COUNTERSIGN_LANDLOCK_RESTRICT = 446 };
// As fcntl.h has them with _GNU_SOURCE, on x86-64 and on ARM alike.
enum { COUNTERSIGN_O_PATH = 010000000, COUNTERSIGN_F_SETSIG = 10 };
// As sys/socket.h has them, on x86-64 and on ARM alike. Were it included here, its enumerations would belong to this module, and
// Swift files that do not import it would find them in some builds only.
enum { COUNTERSIGN_AF_UNIX = 1, COUNTERSIGN_AF_INET = 2 };
enum { COUNTERSIGN_SOCK_STREAM = 1, COUNTERSIGN_SOCK_DGRAM = 2, COUNTERSIGN_SOCK_SEQPACKET = 5 };

struct countersign_landlock_ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct countersign_landlock_beneath {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

/// Returns the version of Landlock's interface; 0 where the kernel has none, or does not let this process use it.
static inline int countersign_landlock_version(void) {
    long version = syscall(COUNTERSIGN_LANDLOCK_CREATE, NULL, 0, 1);
    return version > 0 ? (int)version : 0;
}

/// Makes a set of rules that allows no file, and no abstract socket and signal of a process outside; without `connects` no TCP
/// connection either. Returns its descriptor, or -1.
static inline int countersign_landlock_open(int version, int connects) {
    struct countersign_landlock_ruleset rules = {.files = (1 << 13) - 1};
    if (version >= 2) rules.files |= 1 << 13;                // linking into another folder
    if (version >= 3) rules.files |= 1 << 14;                // truncating
    if (version >= 5) rules.files |= 1 << 15;                // ioctl of devices
    if (version >= 4 && !connects) rules.network = 3;        // bind and connect
    if (version >= 6) rules.scopes = 3;                      // abstract sockets, signals
    return (int)syscall(COUNTERSIGN_LANDLOCK_CREATE, &rules, sizeof rules, 0);
}

enum { COUNTERSIGN_USE_READ = 0, COUNTERSIGN_USE_RUN = 1, COUNTERSIGN_USE_CHANGE = 2 };

/// Allows to read a file, or all files of a folder. The uses say whether they may be started and changed, too: of a folder, files
/// in it made, renamed and removed. A path that does not exist is skipped. Returns 0, or -1.
static inline int countersign_landlock_allow(int ruleset, const char *path, int uses, int version) {
    int folder = open(path, COUNTERSIGN_O_PATH | O_CLOEXEC);
    if (folder < 0) return 0;
    struct stat status;
    int result = fstat(folder, &status);
    if (result == 0) {
        struct countersign_landlock_beneath rule = {.allowed = 1 << 2, .folder = folder};
        if (S_ISDIR(status.st_mode)) rule.allowed |= 1 << 3;
        if (uses & COUNTERSIGN_USE_RUN) rule.allowed |= 1;
        if (uses & COUNTERSIGN_USE_CHANGE) {
            rule.allowed |= 1 << 1;
            if (version >= 3) rule.allowed |= 1 << 14;
            if (version >= 5) rule.allowed |= 1 << 15;
            // Everything but devices: remove and make folders, files, sockets, FIFOs and links.
            if (S_ISDIR(status.st_mode)) rule.allowed |= 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12;
            if (S_ISDIR(status.st_mode) && version >= 2) rule.allowed |= 1 << 13;
        }
        result = (int)syscall(COUNTERSIGN_LANDLOCK_ADD, ruleset, 1, &rule, 0);
    }
    close(folder);
    return result;
}

/// Applies a set of rules to this thread and its children for good, and closes it. Returns 0, or -1.
static inline int countersign_landlock_enter(int ruleset) {
    int result = (int)syscall(COUNTERSIGN_LANDLOCK_RESTRICT, ruleset, 0);
    close(ruleset);
    return result;
}

/// Makes the kernel kill this process as soon as the other end of a pipe is closed, whatever it is doing then. The signal
/// comes from the pipe's notification (F_SETOWN in fcntl(2)), so a parent that was killed itself is noticed, too; and unlike
/// PR_SET_PDEATHSIG it does not depend on the thread that started this process. Returns 0, or -1.
static inline int countersign_end_with_pipe(int pipe) {
    int flags = fcntl(pipe, F_GETFL);
    if (flags < 0 || fcntl(pipe, F_SETOWN, getpid()) != 0 || fcntl(pipe, COUNTERSIGN_F_SETSIG, SIGKILL) != 0) return -1;
    return fcntl(pipe, F_SETFL, flags | O_ASYNC);
}

#if defined(__x86_64__)
#define COUNTERSIGN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define COUNTERSIGN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef COUNTERSIGN_ARCHITECTURE
/// Takes from this thread and its children for good what Landlock has no rule for: Unix sockets of other programs, such as D-Bus,
/// modes, owners, times and attributes of files, files with a set-user-ID bit, key rings, and the limits and priorities of other
/// processes. A connection to the network and a pair of sockets that are connected with each other stay.
///
/// With `runs_browser`, Chromium keeps its own sockets, and may set modes, owners, times and priorities.
/// Returns 0, or -1.
static inline int countersign_seccomp_work(int runs_browser) {
    // Those that Linux has got since the oldest kernel headers, by their numbers, which are the same on every architecture.
    enum { openat2 = 437, fchmodat2 = 452, setxattrat = 463, removexattrat = 466, file_setattr = 469 };
    static const int always[] = {
        // It makes calls that this list does not see.
        __NR_io_uring_setup,
        __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, setxattrat,
        __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, removexattrat, file_setattr,
        __NR_add_key, __NR_request_key, __NR_keyctl, __NR_ioprio_set,
    };
    static const int without_browser[] = {
#ifdef __NR_chmod
        __NR_chmod, __NR_chown, __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
        __NR_fchmod, __NR_fchmodat, fchmodat2, __NR_fchown, __NR_fchownat, __NR_utimensat,
        __NR_setpriority, __NR_sched_setscheduler, __NR_sched_setparam, __NR_sched_setattr, __NR_sched_setaffinity,
    };
    // The calls that give a file its mode. The flags, where there are some, say whether they do.
    static const struct { int number; signed char mode, flags; } modes[] = {
#ifdef __NR_open
        {__NR_open, 2, 1}, {__NR_creat, 1, -1}, {__NR_mkdir, 1, -1}, {__NR_mknod, 1, -1}, {__NR_chmod, 1, -1},
#endif
        {__NR_openat, 3, 2}, {__NR_mkdirat, 2, -1}, {__NR_mknodat, 2, -1},
        {__NR_fchmod, 1, -1}, {__NR_fchmodat, 2, -1}, {fchmodat2, 2, -1},
    };
    enum { of_always = sizeof always / sizeof *always, of_others = sizeof without_browser / sizeof *without_browser };
    enum { of_modes = sizeof modes / sizeof *modes, makes_file = O_CREAT | 020000000 /* O_TMPFILE */ };
    struct sock_filter code[256];
    unsigned short count = 0;
#define COUNTERSIGN_ADD(...) code[count++] = (struct sock_filter)__VA_ARGS__
#define COUNTERSIGN_ARGUMENT(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (place))
    COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, COUNTERSIGN_ARCHITECTURE, 1, 0));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    // Calls of x32, which have other numbers.
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    for (size_t i = 0; i < of_always + (runs_browser ? 0 : of_others); i++) {
        unsigned number = (unsigned)(i < of_always ? always[i] : without_browser[i - of_always]);
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    // A filter cannot read its mode, which is in memory. Programs take openat then.
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, openat2, 0, 1));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
    // A file with such a bit would act for this user in the hands of another one.
    for (size_t i = 0; i < of_modes; i++) {
        int has_flags = modes[i].flags >= 0;
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)modes[i].number, 0, has_flags ? 6 : 4));
        if (has_flags) {
            COUNTERSIGN_ADD(COUNTERSIGN_ARGUMENT(modes[i].flags));
            COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, makes_file, 0, 3));
        }
        COUNTERSIGN_ADD(COUNTERSIGN_ARGUMENT(modes[i].mode));
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 0, 1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    if (!runs_browser) {
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 4));
        COUNTERSIGN_ADD(COUNTERSIGN_ARGUMENT(0));
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, COUNTERSIGN_AF_UNIX, 0, 1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        // One of a pair of datagram sockets could send to the socket of another program.
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socketpair, 0, 6));
        COUNTERSIGN_ADD(COUNTERSIGN_ARGUMENT(1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf));
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, COUNTERSIGN_SOCK_STREAM, 1, 0));
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, COUNTERSIGN_SOCK_SEQPACKET, 0, 1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prlimit64, 0, 3));
    COUNTERSIGN_ADD(COUNTERSIGN_ARGUMENT(0));
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef COUNTERSIGN_ARGUMENT
#undef COUNTERSIGN_ADD
    struct sock_fprog program = {.len = count, .filter = code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static inline int countersign_seccomp_work(int runs_browser) {
    (void)runs_browser;
    errno = ENOSYS;
    return -1;
}
#endif

/// Allows this thread and its children a list of system calls for good; any other fails with EPERM.
///
/// Without `runs_program` these are the calls of a computation on memory, on descriptors that are open: memory that is never
/// executable, clocks, randomness, and reading and writing. With it, those of a program that loads its libraries and
/// reads files, of which it may write none and by which it may start no thread and no process; it may become another program,
/// which the same list holds.
///
/// Returns 0, or -1, with ENOSYS on an architecture without a list.
static inline int countersign_seccomp_enter(int runs_program) {
#ifdef COUNTERSIGN_ARCHITECTURE
    static const int always[] = {
        __NR_read, __NR_write, __NR_readv, __NR_writev, __NR_close, __NR_lseek, __NR_fstat,
        __NR_munmap, __NR_mremap, __NR_brk, __NR_madvise, __NR_mlock, __NR_futex,
        __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack,
        __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_clock_nanosleep, __NR_nanosleep,
        __NR_sched_yield, __NR_sched_getaffinity, __NR_getpid, __NR_gettid, __NR_getrandom,
        __NR_exit, __NR_exit_group, __NR_restart_syscall,
    };
    static const int of_reader[] = {
#ifdef __NR_poll
        __NR_poll,
#endif
        __NR_ppoll, __NR_recvfrom, __NR_sendto,
    };
    static const int of_program[] = {
#ifdef __NR_open
        __NR_open, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_arch_prctl, __NR_getdents, __NR_dup2, __NR_time,
#endif
        __NR_execve, __NR_openat, __NR_pread64, __NR_newfstatat, __NR_statx, __NR_faccessat, __NR_readlinkat,
        __NR_getcwd, __NR_getdents64, __NR_fstatfs, __NR_statfs, __NR_dup, __NR_dup3, __NR_fadvise64,
        __NR_set_tid_address, __NR_set_robust_list, __NR_uname, __NR_sysinfo, __NR_getrusage,
        __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid, __NR_getppid,
#ifdef __NR_getrlimit
        __NR_getrlimit,
#endif
#ifdef __NR_rseq
        __NR_rseq,
#endif
#ifdef __NR_faccessat2
        __NR_faccessat2,
#endif
    };
    enum { most = 256 };
    struct sock_filter code[most];
    unsigned short count = 0;
    const int *own = runs_program ? of_program : of_reader;
    size_t owned = runs_program ? sizeof of_program / sizeof(int) : sizeof of_reader / sizeof(int);
#define COUNTERSIGN_ADD(...) code[count++] = (struct sock_filter)__VA_ARGS__
    COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, COUNTERSIGN_ARCHITECTURE, 1, 0));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < sizeof always / sizeof(int) + owned; i++) {
        size_t shared = sizeof always / sizeof(int);
        unsigned number = (unsigned)(i < shared ? always[i] : own[i - shared]);
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    // The third argument is the protection.
    const unsigned mapping[] = {__NR_mmap, __NR_mprotect};
    for (size_t i = 0; i < 2; i++) {
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mapping[i], 0, 4));
        COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])));
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, runs_program ? 0 : PROT_EXEC, 1, 0));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    if (runs_program) {
        // Its own limits alone: those of another process of its user would end it, or keep it from writing.
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prlimit64, 0, 4));
        COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
        // No owner of a descriptor's signals: that would be a way to signal another process.
        const unsigned asked[] = {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};
        enum { of_asked = sizeof asked / sizeof *asked };
        COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fcntl, 0, 2 * of_asked + 2));
        COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])));
        for (size_t i = 0; i < of_asked; i++) {
            COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, asked[i], 0, 1));
            COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        }
        COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    // abort() and assertions signal this process; no other can be.
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 3));
    COUNTERSIGN_ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
    COUNTERSIGN_ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 0, 1));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    COUNTERSIGN_ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
#undef COUNTERSIGN_ADD
    struct sock_fprog program = {.len = count, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    // By prctl: the filter of a service (SystemCallFilter=@system-service) allows this way and not the other.
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
    (void)runs_program;
    errno = ENOSYS;
    return -1;
#endif
}

/// Forbids this process to gain rights by starting a program, which Landlock demands. Returns 0, or -1.
static inline int countersign_gain_nothing(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Gives this thread's capabilities up for good, also for programs that it starts. Returns 0, or -1.
static inline int countersign_drop_capabilities(void) {
    // As linux/capability.h has them. The version is that of Linux 2.6.26, with two words of bits.
    struct { uint32_t version; int32_t process; } head = {.version = 0x20080522, .process = 0};
    struct { uint32_t effective, permitted, inheritable; } sets[2] = {{0, 0, 0}, {0, 0, 0}};
    // The filter of a service (~@privileged) forbids capset, which a process without any does not need.
    if (syscall(__NR_capget, &head, &sets) == 0) {
        uint32_t held = 0;
        for (int i = 0; i < 2; i++) held |= sets[i].permitted | sets[i].inheritable;
        if (held == 0) return 0;
    }
    // It fails past the last one that the kernel knows, and where it may not be done. That process starts no program with more than
    // it has, as it can gain nothing.
    for (int capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
    for (int i = 0; i < 2; i++) sets[i].effective = sets[i].permitted = sets[i].inheritable = 0;
    return (int)syscall(__NR_capset, &head, &sets);
}

/// Deeds that a confined process must not be able to do.
enum {
    COUNTERSIGN_PROBE_OPEN,
    COUNTERSIGN_PROBE_CREATE,
    COUNTERSIGN_PROBE_CONNECT,
    COUNTERSIGN_PROBE_EXECUTE,
    COUNTERSIGN_PROBE_FORK,
    COUNTERSIGN_PROBE_SIGNAL,
    COUNTERSIGN_PROBE_TRACE,
    COUNTERSIGN_PROBE_READ_MEMORY,
    COUNTERSIGN_PROBE_RUN_DATA,
    COUNTERSIGN_PROBE_LIMIT,
    COUNTERSIGN_PROBE_MODE,
    COUNTERSIGN_PROBE_OWNER,
    COUNTERSIGN_PROBE_TIMES,
    COUNTERSIGN_PROBE_ATTRIBUTES,
    COUNTERSIGN_PROBE_OTHERS_PROGRAM,
    COUNTERSIGN_PROBE_SLOW_DOWN,
    COUNTERSIGN_PROBE_KEYS,
    COUNTERSIGN_PROBE_SEND,
    COUNTERSIGN_PROBE_READ_ENVIRONMENT,
    COUNTERSIGN_PROBE_FILL_DISK,
    COUNTERSIGN_PROBE_COUNT,
};

/// Tries a deed, on the file at `path` or the process `victim`. Returns 0 when it succeeds, else the error number.
///
/// By system calls: the C library answers some of these itself.
static inline int countersign_probe(int deed, const char *path, pid_t victim) {
    long result = -1;
    char byte = 0;
    struct iovec here = {.iov_base = &byte, .iov_len = 1}, there = {.iov_base = &byte, .iov_len = 1};
    char *const none[] = {NULL};
    errno = 0;
    switch (deed) {
    case COUNTERSIGN_PROBE_OPEN: result = syscall(__NR_openat, AT_FDCWD, path, O_RDONLY); break;
    case COUNTERSIGN_PROBE_CREATE:
        result = syscall(__NR_openat, AT_FDCWD, "/dev/shm/countersign-probe", O_CREAT | O_WRONLY, 0600);
        break;
    case COUNTERSIGN_PROBE_CONNECT: result = syscall(__NR_socket, COUNTERSIGN_AF_INET, COUNTERSIGN_SOCK_STREAM, 0); break;
    case COUNTERSIGN_PROBE_EXECUTE: result = syscall(__NR_execve, "/bin/true", none, none); break;
    case COUNTERSIGN_PROBE_FORK:
        // Without flags, as fork(2) does it.
        result = syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
        if (result == 0) _exit(0);
        break;
    case COUNTERSIGN_PROBE_LIMIT: {
        // The limit stays as it is where this succeeds.
        struct { uint64_t soft, hard; } limit = {0, 0};
        result = syscall(__NR_prlimit64, victim, 7, NULL, &limit);
        if (result == 0) result = syscall(__NR_prlimit64, victim, 7, &limit, NULL);
        break;
    }
    // Of no file: where the system looks for it, the call is not forbidden, and nothing is harmed.
    case COUNTERSIGN_PROBE_MODE: result = syscall(__NR_fchmodat, AT_FDCWD, "", 0600); break;
    case COUNTERSIGN_PROBE_OWNER: result = syscall(__NR_fchownat, AT_FDCWD, "", getuid(), getgid(), 0); break;
    case COUNTERSIGN_PROBE_TIMES: result = syscall(__NR_utimensat, AT_FDCWD, "", NULL, 0); break;
    case COUNTERSIGN_PROBE_ATTRIBUTES: result = syscall(__NR_setxattr, "", "user.countersign", &byte, 1, 0); break;
    case COUNTERSIGN_PROBE_OTHERS_PROGRAM:
        result = syscall(__NR_openat, AT_FDCWD, "", O_CREAT | O_WRONLY, S_ISUID | 0700);
        break;
    // With a policy that does not exist: where the system looks at it, the call is not forbidden.
    case COUNTERSIGN_PROBE_SLOW_DOWN: {
        int priority = 0;
        result = syscall(__NR_sched_setscheduler, victim, 1000, &priority);
        break;
    }
    // The number of this thread's own key ring; a container can forbid it to every process.
    case COUNTERSIGN_PROBE_KEYS: result = syscall(__NR_keyctl, 0, -4, 0); break;
    case COUNTERSIGN_PROBE_SEND: {
        int pair[2];
        result = syscall(__NR_socketpair, COUNTERSIGN_AF_UNIX, COUNTERSIGN_SOCK_DGRAM, 0, pair);
        if (result == 0) {
            close(pair[0]);
            close(pair[1]);
        }
        break;
    }
    case COUNTERSIGN_PROBE_READ_ENVIRONMENT: {
        // "/proc/", the number, and "/environ", without the C library's printing.
        char name[32] = "/proc/", digits[12];
        int place = 6, count = 0;
        for (pid_t rest = victim; rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
        while (count > 0) name[place++] = digits[--count];
        for (const char *end = "/environ"; *end; end++) name[place++] = *end;
        result = syscall(__NR_openat, AT_FDCWD, name, O_RDONLY);
        if (result >= 0) close((int)result);
        break;
    }
    case COUNTERSIGN_PROBE_FILL_DISK: {
        struct { uint64_t soft, hard; } limit = {~(uint64_t)0, ~(uint64_t)0};
        result = syscall(__NR_prlimit64, 0, 1 /* RLIMIT_FSIZE */, &limit, NULL);
        break;
    }
    case COUNTERSIGN_PROBE_SIGNAL: result = syscall(__NR_kill, victim, 0); break;
    case COUNTERSIGN_PROBE_TRACE: result = syscall(__NR_ptrace, PTRACE_ATTACH, victim, 0, 0); break;
    case COUNTERSIGN_PROBE_READ_MEMORY: result = syscall(__NR_process_vm_readv, victim, &here, 1, &there, 1, 0); break;
    case COUNTERSIGN_PROBE_RUN_DATA: {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        result = page == MAP_FAILED ? -1 : 0;
        break;
    }
    default: errno = EINVAL;
    }
    int isTried = deed >= COUNTERSIGN_PROBE_MODE && deed <= COUNTERSIGN_PROBE_OTHERS_PROGRAM && errno == ENOENT;
    int isRead = deed == COUNTERSIGN_PROBE_SLOW_DOWN && errno == EINVAL;
    return result >= 0 || isTried || isRead ? 0 : errno;
}
#endif
