// The seccomp programs, as rules. Compiled to BPF by filter_gen.cc while Belljar is built.
//
// Two programs are stacked, and the stricter verdict wins. The base program is an allow list that
// still allows the calls needed to build a cell; the agent installs it once, and all its
// descendants inherit it. The guest program is small; each guest adds it as its last step, and it
// refuses the calls that only building needs. A call that no list names is answered ENOSYS, so that
// libc falls back; a known and denied call gets EPERM; a call that only an attack would make kills
// the process.
#pragma once

#include <initializer_list>

namespace belljar::cell::native {

// Allowed with any arguments.
inline constexpr const char* kAllowed[] = {
    // files
    "read", "write", "open", "close", "stat", "fstat", "lstat", "poll", "lseek", "pread64",
    "pwrite64", "readv", "writev", "access", "pipe", "select", "dup", "dup2", "fcntl", "truncate",
    "ftruncate", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "rename", "mkdir", "rmdir",
    "creat", "link", "unlink", "symlink", "readlink", "chmod", "fchmod", "chown", "fchown",
    "lchown", "umask", "sendfile", "utime", "utimes", "openat", "mkdirat", "fchownat", "futimesat",
    "newfstatat", "unlinkat", "renameat", "linkat", "symlinkat", "readlinkat", "fchmodat",
    "faccessat", "pselect6", "ppoll", "sync_file_range", "utimensat", "fallocate", "dup3", "pipe2",
    "preadv", "pwritev", "renameat2", "copy_file_range", "preadv2", "pwritev2", "statx", "openat2",
    "faccessat2", "close_range", "fadvise64", "readahead", "statfs", "fstatfs", "flock", "getxattr",
    "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr", "fchmodat2", "mknod",
    "mknodat",
    // waiting for events
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
    "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime",
    "timerfd_gettime",
    // memory
    "brk", "munmap", "mremap", "msync", "madvise", "mlock", "munlock", "mlockall", "munlockall",
    "mlock2", "membarrier", "pkey_alloc", "pkey_free", "mmap", "mprotect", "pkey_mprotect",
    "map_shadow_stack",
    // processes, threads, signals
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "rt_sigsuspend", "sigaltstack", "sched_yield", "pause",
    "nanosleep", "getitimer", "alarm", "setitimer", "getpid", "clone", "clone3", "fork", "vfork",
    "execve", "exit", "wait4", "kill", "getpgid", "getpgrp", "setpgid", "getppid", "setsid",
    "getsid", "exit_group", "waitid", "tgkill", "tkill", "futex", "futex_waitv", "futex_wake",
    "futex_wait", "futex_requeue", "set_tid_address", "set_robust_list", "get_robust_list", "rseq",
    "restart_syscall", "gettid", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "sched_rr_get_interval", "sched_getaffinity", "sched_getattr",
    "getpriority", "ioprio_get", "getcpu", "timer_create", "timer_settime", "timer_gettime",
    "timer_getoverrun", "timer_delete",
    // identity, time, limits
    "getuid", "getgid", "geteuid", "getegid", "getgroups", "getresuid", "getresgid", "setuid",
    "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups",
    "capget", "uname", "gettimeofday", "time", "times", "clock_gettime", "clock_getres",
    "clock_nanosleep", "getrlimit", "getrusage", "setrlimit", "prlimit64", "sysinfo", "getrandom",
    // local sockets (the families are limited below)
    "connect", "accept", "accept4", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg",
    "recvmmsg", "shutdown", "bind", "listen", "getsockname", "getpeername", "setsockopt",
    "getsockopt",
    // building a cell; the guest program takes these away again
    "mount", "umount2", "fsopen", "fsconfig", "fsmount", "open_tree", "move_mount", "mount_setattr",
    "setns", "unshare", "sethostname", "keyctl", "capset", "seccomp", "landlock_create_ruleset",
    "landlock_add_rule", "landlock_restrict_self", "sched_setaffinity"};

// Answered as by a file system without extended attributes. With EPERM coreutils would report that
// it could not set a mode, and `cp -p` or `install` would fail.
inline constexpr const char* kUnsupported[] = {"setxattr",    "lsetxattr",    "fsetxattr",
                                               "removexattr", "lremovexattr", "fremovexattr"};

// Answered with success, but not made. A cell can write only to memory, where these calls have no
// effect, and on the host they would force its disks to be written out.
inline constexpr const char* kDone[] = {"sync", "syncfs", "fsync", "fdatasync"};

// Known calls that are answered EPERM.
inline constexpr const char* kDenied[] = {"pivot_root",
                                          "chroot",
                                          "fspick",
                                          "name_to_handle_at",
                                          "ptrace",
                                          "process_vm_readv",
                                          "process_vm_writev",
                                          "process_madvise",
                                          "process_mrelease",
                                          "pidfd_getfd",
                                          "pidfd_open",
                                          "pidfd_send_signal",
                                          "kcmp",
                                          "add_key",
                                          "request_key",
                                          "shmget",
                                          "shmat",
                                          "shmctl",
                                          "shmdt",
                                          "semget",
                                          "semop",
                                          "semctl",
                                          "semtimedop",
                                          "msgget",
                                          "msgsnd",
                                          "msgrcv",
                                          "msgctl",
                                          "mq_open",
                                          "mq_unlink",
                                          "mq_timedsend",
                                          "mq_timedreceive",
                                          "mq_notify",
                                          "mq_getsetattr",
                                          "bpf",
                                          "perf_event_open",
                                          "userfaultfd",
                                          "io_uring_setup",
                                          "io_uring_enter",
                                          "io_uring_register",
                                          "fanotify_init",
                                          "fanotify_mark",
                                          "lookup_dcookie",
                                          "cachestat",
                                          "mincore",
                                          "acct",
                                          "quotactl",
                                          "quotactl_fd",
                                          "syslog",
                                          "vhangup",
                                          "setdomainname",
                                          "settimeofday",
                                          "clock_settime",
                                          "adjtimex",
                                          "clock_adjtime",
                                          "sysfs",
                                          "ustat",
                                          "uselib",
                                          "mbind",
                                          "set_mempolicy",
                                          "get_mempolicy",
                                          "migrate_pages",
                                          "move_pages",
                                          "set_mempolicy_home_node",
                                          "modify_ldt",
                                          "ioprio_set",
                                          "setpriority",
                                          "sched_setparam",
                                          "sched_setscheduler",
                                          "sched_setattr",
                                          "splice",
                                          "vmsplice",
                                          "tee",
                                          "inotify_init",
                                          "inotify_init1",
                                          "inotify_add_watch",
                                          "inotify_rm_watch",
                                          "memfd_create",
                                          "memfd_secret",
                                          "execveat",
                                          "io_setup",
                                          "io_destroy",
                                          "io_submit",
                                          "io_cancel",
                                          "io_getevents",
                                          "io_pgetevents",
                                          "remap_file_pages",
                                          "_sysctl",
                                          "nfsservctl",
                                          "statmount",
                                          "listmount",
                                          "lsm_set_self_attr",
                                          "lsm_get_self_attr",
                                          "lsm_list_modules"};

// Calls that no honest program makes: the process is killed.
inline constexpr const char* kKilled[] = {"init_module",
                                          "finit_module",
                                          "delete_module",
                                          "create_module",
                                          "kexec_load",
                                          "kexec_file_load",
                                          "open_by_handle_at",
                                          "iopl",
                                          "ioperm",
                                          "reboot",
                                          "swapon",
                                          "swapoff"};

// Calls that the guest program refuses.
inline constexpr const char* kOnlyForBuilding[] = {"mount",
                                                   "umount2",
                                                   "fsopen",
                                                   "fsconfig",
                                                   "fsmount",
                                                   "open_tree",
                                                   "move_mount",
                                                   "mount_setattr",
                                                   "setns",
                                                   "unshare",
                                                   "sethostname",
                                                   "keyctl",
                                                   "capset",
                                                   "seccomp",
                                                   "landlock_create_ruleset",
                                                   "landlock_add_rule",
                                                   "landlock_restrict_self",
                                                   "sched_setaffinity"};

// arch_prctl codes: the thread pointers, and the queries and requests of code that uses AMX.
inline constexpr unsigned kArchPrctl[] = {0x1001, 0x1002, 0x1003, 0x1004, 0x1021, 0x1022, 0x1023};

// prctl options that a guest may use, and those needed only while a cell is built.
inline constexpr unsigned kPrctlForGuests[] = {
    1,           // PR_SET_PDEATHSIG
    2,           // PR_GET_PDEATHSIG
    3,           // PR_GET_DUMPABLE
    7,           // PR_GET_KEEPCAPS
    15,          // PR_SET_NAME
    16,          // PR_GET_NAME
    21,          // PR_GET_SECCOMP
    23,          // PR_CAPBSET_READ
    27,          // PR_GET_SECUREBITS
    29,          // PR_SET_TIMERSLACK
    30,          // PR_GET_TIMERSLACK
    36,          // PR_SET_CHILD_SUBREAPER
    37,          // PR_GET_CHILD_SUBREAPER
    38,          // PR_SET_NO_NEW_PRIVS
    39,          // PR_GET_NO_NEW_PRIVS
    40,          // PR_GET_TID_ADDRESS
    41,          // PR_SET_THP_DISABLE
    42,          // PR_GET_THP_DISABLE
    0x53564d41,  // PR_SET_VMA
};
inline constexpr unsigned kPrctlForBuilding[] = {
    4,   // PR_SET_DUMPABLE
    24,  // PR_CAPBSET_DROP
    28,  // PR_SET_SECUREBITS
    47,  // PR_CAP_AMBIENT
};

// fcntl commands that affect other cells: leases, notifications and hints belong to the image's
// inodes, which cells share.
inline constexpr unsigned kFcntlDenied[] = {
    1024,  // F_SETLEASE
    1026,  // F_NOTIFY
    1036,  // F_SET_RW_HINT
    1038,  // F_SET_FILE_RW_HINT
};

// Socket options that hand the kernel a program, or the caller a pidfd of the supervisor.
inline constexpr unsigned kSetSocketOptionDenied[] = {
    26,  // SO_ATTACH_FILTER
    44,  // SO_LOCK_FILTER
    46,  // SO_BUSY_POLL
    50,  // SO_ATTACH_BPF
    51,  // SO_ATTACH_REUSEPORT_CBPF
    52,  // SO_ATTACH_REUSEPORT_EBPF
    76,  // SO_PASSPIDFD
};
inline constexpr unsigned kGetSocketOptionDenied = 77;  // SO_PEERPIDFD

// Internet sockets: TCP over IPv4, opened by init for a cell's egress listener and by the guests of
// a cell with that listener, whose guest program refuses rare socket options. The guest program of
// every other cell refuses internet sockets altogether.
inline constexpr unsigned kInternet = 2;                               // AF_INET
inline constexpr unsigned kTcpTypes[] = {1, 0x801, 0x80001, 0x80801};  // SOCK_STREAM, with flags
inline constexpr unsigned kTcpProtocols[] = {0, 6};
inline constexpr unsigned kIpLevel = 0;
inline constexpr unsigned kTcpLevel = 6;
inline constexpr unsigned kLastIpOption = 1;  // IP_TOS
inline constexpr unsigned kLastTcpOption =
    18;  // TCP_USER_TIMEOUT; higher numbers are ULP, keys, repair
inline constexpr unsigned kTcpOptionDenied[] = {13, 14, 15, 16,
                                                17};  // congestion control, MD5 keys, old cookies

// personality() values that a guest may set, and the one that only building needs: a deterministic
// cell's programs are started without address randomisation. A guest must not turn it off.
inline constexpr unsigned kPersonalityForGuests[] = {
    0,           // PER_LINUX
    8,           // PER_LINUX32
    0x20000,     // UNAME26
    0x20008,     // both
    0xFFFFFFFF,  // only queries the current value
};
inline constexpr unsigned kPersonalityForBuilding = 0x0040000;  // ADDR_NO_RANDOMIZE

}  // namespace belljar::cell::native
