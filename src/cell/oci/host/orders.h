// The messages between the supervisor and the keeper of an image's containers. As in
// native/launcher/orders.h, they are structs of one build on SOCK_SEQPACKET pairs that no guest
// ever holds.
#pragma once

#include "cell/native/launcher/orders.h"
#include "cell/native/launcher/stage.h"

namespace belljar::cell::oci {

// The directory with all files of the keeper, in a mount namespace of its own.
inline constexpr const char* kKeepPlace = "/mnt";
inline constexpr const char* kShimName = "belljar-shim";
// printed by the shim if it has no arguments
inline constexpr const char* kShimIsHere = "belljar-shim\n";

// The keeper's first message is a StageOrder, with kRuntimeFileCount runtime files and the shim.
constexpr int kKeeperFiles = native::kRuntimeFileCount + 1;
static_assert(kKeeperFiles <= native::kMaxOrderFds);

constexpr std::size_t kRuntimeArgBytes = 4096;

// Supervisor to keeper. Descriptors: the container's life line (a socket; its keeper exits when the
// supervisor closes it), its stream, its stderr, its config.json, and views of its artefacts.
// Answer: StartReport with the pidfd of the container's own keeper. That is process 1 of a pid
// namespace, so its end kills everything that the runtime has started.
struct ContainerOrder {
  // Rootless runsc has no "create"; one "run" is used, which stays beside its container.
  std::uint32_t runs_at_once;
  std::uint32_t waits;  // nothing is started, commands follow
  std::uint32_t uid;    // owner of the workspace, as the keeper sees it
  std::uint64_t workspace_bytes;
  std::uint64_t workspace_inodes;
  std::uint64_t vault_bytes;
  std::uint64_t vault_inodes;
  std::uint32_t args;       // arguments of the runtime, its path first; the command follows them
  std::uint32_t more_args;  // arguments after "create" or "run"
  std::uint32_t vaults;     // number of names
  std::uint32_t artefacts;  // number of names
  char arg_bytes[kRuntimeArgBytes];  // args, more_args, vaults, artefacts: NUL-terminated
};
constexpr int kContainerFds = 4;

// Descriptors that a container's keeper passes to the supervisor: the workspace, its procfs, the
// tmpfs with everything the guest can write, and the vaults.
enum Handed { kHandedWorkspace, kHandedProcfs, kHandedWritten, kHandedVaults };

// Supervisor to a container's keeper, on its life line, once it has been started. Answer:
// StepReport.
enum class KeeperTask : std::uint32_t {
  kSaveContainer,     // descriptors: directory, errors. Leaves the container stopped.
  kRestoreContainer,  // directory, errors, stream
  kTellRuntime,       // stream, errors. Any runtime command, given in word_bytes.
};
constexpr std::size_t kTellBytes = 256;
struct KeeperCommand {
  KeeperTask task;
  // for kTellRuntime: number of NUL-terminated strings; the container is called "cell"
  std::uint32_t words = 0;
  char word_bytes[kTellBytes] = {};
};
constexpr int kTellFds = 2;
constexpr int kSaveFds = 2;
constexpr int kRestoreFds = 3;

}  // namespace belljar::cell::oci
