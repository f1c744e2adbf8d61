// What the supervisor and the keeper of an image's containers say to each other; as in
// native/orders.h, structs of one build on SOCK_SEQPACKET pairs that no guest ever holds.
#pragma once

#include "cell/native/launcher/orders.h"
#include "cell/native/launcher/stage.h"

namespace belljar::cell::oci {

// Where the keeper has everything, in a mount namespace of its own.
inline constexpr const char* kKeepPlace = "/mnt";
inline constexpr const char* kShimName = "belljar-shim";
inline constexpr const char* kShimIsHere = "belljar-shim\n";  // what it prints if asked nothing

// The keeper's first message is a StageOrder, with kRuntimeFileCount runtime files and the shim.
constexpr int kKeeperFiles = native::kRuntimeFileCount + 1;
static_assert(kKeeperFiles <= native::kMaxOrderFds);

constexpr std::size_t kRuntimeArgBytes = 4096;

// Supervisor to keeper. Descriptors: the container's life line, its stream, its stderr, its
// config.json, and views of its artefacts. Answer: StartReport with the pidfd of the container's
// own keeper, which is process 1 of a pid namespace: with it goes everything the runtime has
// started.
struct ContainerOrder {
  // runsc as an ordinary user knows no "create": then one "run", which stays beside its container.
  std::uint32_t runs_at_once;
  std::uint32_t waits;  // nothing is started: commands will come
  std::uint32_t uid;    // owner of the workspace, as the keeper sees it
  std::uint64_t workspace_bytes;
  std::uint64_t workspace_inodes;
  std::uint64_t vault_bytes;
  std::uint64_t vault_inodes;
  std::uint32_t args;                // of the runtime, its path first; the command follows
  std::uint32_t more_args;           // behind "create" or "run"
  std::uint32_t vaults;              // names
  std::uint32_t artefacts;           // likewise
  char arg_bytes[kRuntimeArgBytes];  // args, more_args, vaults, artefacts: NUL-terminated
};
constexpr int kContainerFds = 4;

// What a container's keeper hands out: its workspace, its procfs, all that the guest can write to,
// and its vaults.
enum Handed { kHandedWorkspace, kHandedProcfs, kHandedWritten, kHandedVaults };

// Supervisor to a container's keeper, on its life line, once it has been let go. Answer:
// StepReport.
enum class KeeperTask : std::uint32_t {
  kSaveContainer,     // descriptors: directory, errors. The container has then stopped.
  kRestoreContainer,  // directory, errors, stream
  kTellRuntime,       // stream, errors. Any command, whose words come with it.
};
constexpr std::size_t kTellBytes = 256;
struct KeeperCommand {
  KeeperTask task;
  std::uint32_t words = 0;  // of kTellRuntime, NUL-terminated; the container is called "cell"
  char word_bytes[kTellBytes] = {};
};
constexpr int kTellFds = 2;
constexpr int kSaveFds = 2;
constexpr int kRestoreFds = 3;

}  // namespace belljar::cell::oci
