// The messages between the supervisor and the processes that build cells.
//
// Three kinds of process live inside an image's root, all started by the supervisor's agent
// binary: the agent (builds the root, clones a cell's init), the launcher (a native zygote, for
// programs that are exec'd) and the Python zygote. They talk over SOCK_SEQPACKET pairs that no
// guest ever holds; each message is one fixed-size struct with descriptors attached (SCM_RIGHTS).
// Both ends are always of the same build, so the structs are sent as they are in memory; nothing
// here is a protocol for guests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::cell::native {

// Every mechanism that confines a cell, in the order in which a cell's processes set them up. A
// failed step is reported by its name, and belljar-loose switches a step off by its name.
enum class Step : std::int32_t {
  kNone,
  // The agent, once per image.
  kUserNamespace,
  kMountNamespace,
  kPrivateMounts,
  kImageMount,
  kDevices,
  kRuntimeFiles,
  kPivotRoot,
  kBaseFilter,
  // A cell's init.
  kCloneInit,
  kPidNamespace,
  kNetNamespace,
  kIpcNamespace,
  kUtsNamespace,
  kProc,
  kWorkspace,
  kVaults,
  kVaultReadOnly,
  kArtefacts,
  kArtefactReadOnly,
  kHostname,
  kListeners,
  kInitRights,
  // A cell's guest.
  kDescriptors,
  kCgroups,
  kJoinNamespaces,
  kCgroupNamespace,
  kKeyring,
  kResourceLimits,
  kSessionLeader,
  kNestedUser,
  kBoundingSet,
  kSecurebits,
  kUserId,
  kCapabilities,
  kNoNewPrivileges,
  kLandlock,
  kCloseDescriptors,
  kGuestFilter,
  kSelfCheck,
  kWorkingDirectory,
  kExec,
  kSealed,
  kReseed,
  kCount,
};

// For example "landlock". Used in messages, by doctor and by the mutation tests.
const char* StepName(Step step);

// Reports a step that failed, or kSealed. Shorter than PIPE_BUF, so a write to a pipe is atomic.
struct StepReport {
  Step step = Step::kNone;
  std::int32_t sys = 0;
};

// A set bit switches its step off; `belljar` itself never sets one (run/switch_off.h).
using StepMask = std::uint64_t;
constexpr StepMask MaskOf(Step step) { return StepMask{1} << static_cast<int>(step); }
static_assert(static_cast<int>(Step::kCount) <= 64);

constexpr bool Enabled(StepMask off, Step step) { return (off & MaskOf(step)) == 0; }

enum class Identity : std::int32_t {
  kSlotUid,     // the supervisor is root: each cell has a host uid of its own
  kNestedUser,  // the supervisor is not root: each guest has a user namespace of its own
};

enum class FilterKind : std::int32_t {
  kStrictMemory,        // no memory that is writable and executable at once
  kJit,                 // for engines that compile at run time
  kStrictMemoryEgress,  // the same two, with TCP sockets for the cell's egress listener
  kJitEgress,
};

// Whether repeated runs must behave identically, and the seed they share. docs/deterministic.md
struct Deterministic {
  std::uint32_t is_on;
  std::uint64_t seed;
};

enum class OrderKind : std::int32_t { kMakeInit, kStartLauncher, kStartPython };

constexpr std::size_t kAgentArgBytes = 16 * 1024;
constexpr std::size_t kGuestArgBytes = 1024;  // small: every guest has a copy

// Supervisor to agent, once, before anything else. Descriptors: the runtime files in the order of
// RuntimeFileName() (stage.h).
struct StageOrder {
  Identity identity;
  std::uint32_t outer_uid;
  std::uint32_t outer_gid;
  StepMask off;
  char rootfs[4096];
};

// Supervisor to agent. Descriptors: [0] the new process's socket; [1] its stderr or, for init, the
// network namespace to join if has_net; then the views of its artefacts. Answer: StartReport with
// the pidfd.
struct AgentOrder {
  OrderKind kind;
  std::uint32_t has_net;  // kMakeInit
  std::uint32_t uid;      // owner of the workspace, as the agent sees it
  std::uint64_t workspace_bytes;
  std::uint64_t workspace_inodes;
  std::uint64_t vault_bytes;  // kMakeInit: for all of its vaults together
  std::uint64_t vault_inodes;
  std::uint32_t vault_read_only;  // bit i: the i-th vault
  std::uint32_t listeners;        // kMakeInit: bit i: the i-th of cell::CellListener
  std::uint32_t artefacts;        // kMakeInit: number of artefacts
  StepMask off;
  Deterministic deterministic;  // kStartPython; kStartLauncher uses is_on only
  // Number of NUL-terminated strings in arg_bytes. kStartPython: the command. kMakeInit: the names
  // of the vaults in byte order; the names of the artefacts follow them and are not counted.
  std::uint32_t args;
  char arg_bytes[kAgentArgBytes];
};

// Supervisor to a zygote. Descriptors: init's pidfd, then stdin, stdout, stderr, control, then
// the v2 group's directory if has_v2, then `v1_joins` cgroup.procs files.
// Answer: StartReport with the guest's pidfd. The guest's first bytes on control: StepReport.
struct GuestOrder {
  Identity identity;
  FilterKind filter;
  std::uint32_t uid;
  std::uint32_t has_v2;
  std::uint32_t v1_joins;
  std::uint32_t open_files;
  std::uint32_t processes;
  std::uint64_t file_bytes;
  std::uint64_t data_bytes;     // RLIMIT_DATA; 0: not set (the control group limits memory)
  std::uint64_t affinity_cpus;  // number of CPUs to be pinned to, 0: all
  std::uint32_t vaults;         // number of vaults below /vault
  std::uint32_t vault_writes;  // bit i: the i-th vault, in the byte order of the names, is writable
  std::uint32_t listeners;     // bit i: the i-th of cell::CellListener
  std::uint32_t slot;  // a number of the cell's own; decides at which CPU its pinning starts
  StepMask off;
  Deterministic deterministic;  // launcher
  std::uint32_t args;           // launcher: program to exec at once; 0: wait for RUN
  char arg_bytes[kGuestArgBytes];
};

struct StartReport {
  std::int32_t pid = 0;
  StepReport failure;
};

// Sent by init on its socket once it is ready. Descriptors: the workspace, the cell's procfs, its
// vaults in order, and its listening sockets in the order of cell::CellListener. The supervisor
// answers with one byte when the guest has joined the cell; init then seals itself.
using InitReport = StepReport;

constexpr int kGuestStdio = 4;  // stdin, stdout, stderr, control
constexpr int kControlFd = 3;   // in the guest
constexpr int kMaxOrderFds = 24;
constexpr int kMaxVaultMounts = 8;
constexpr int kMaxArtefactMounts = 8;
constexpr int kMaxListeners = 2;

// Bits of `listeners`, in the order of cell::CellListener.
constexpr std::uint32_t kEgressListener = 1;
constexpr std::uint32_t kToolsListener = 2;

}  // namespace belljar::cell::native
