// Backend: what builds the walls around a cell. One implementation per kind of wall.
//
// A Cell is a resource: started sealed and waiting for one RUN frame, owned by one request, and
// gone with all its processes and mounts when it is destroyed. What the guest in it says is
// hostile; what its descriptors (its end, its workspace) say is the kernel's word.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ending.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/result.h"
#include "image/store.h"
#include "isolate/native/door_places.h"
#include "policy/backend.h"
#include "policy/limits.h"
#include "policy/vault.h"

namespace belljar::isolate {

// What waits inside a started cell.
enum class GuestKind {
  kNative,      // our own few lines, about to exec a shell or a command
  kPythonWarm,  // a fork of the image's zygote; in a container, one that is to wait in a pool
  kPythonCold,  // an interpreter started for this cell
  kNode,        // an interpreter started for this cell
};

// What a cell's interpreter is a copy of. Cells with the same one can take over each other's
// memory. It lives as long as anybody holds it.
class CellTemplate {
 public:
  virtual ~CellTemplate() = default;
  virtual bool Is(const CellTemplate& other) const = 0;
};

// A place below /vault that is empty until the supervisor has filled it.
struct VaultSpec {
  std::string name;
  policy::VaultMode mode = policy::VaultMode::kReadOnly;
  bool operator==(const VaultSpec&) const = default;
};

// A way out of a cell: a listener inside it, made before the guest is there, which the supervisor
// holds. A cell without doors has no listener, no loopback interface and no internet sockets.
enum class Door {
  kEgress,  // TCP on 127.0.0.1, kEgressPort, in the cell's own network namespace
  kTools,   // a stream Unix socket at kToolsSocket
};
constexpr std::size_t kDoorCount = 2;

// What a cell is built to. Cells with equal specs are interchangeable until one is used.
struct CellSpec {
  policy::BackendKind backend = policy::BackendKind::kNative;
  std::string image;
  GuestKind guest = GuestKind::kNative;
  policy::Limits limits;
  std::optional<std::uint64_t> deterministic;
  std::shared_ptr<CellTemplate> copy_of;  // this one and no other; null: the newest
  std::vector<VaultSpec> vaults;
  std::set<Door> doors;

  bool operator==(const CellSpec&) const = default;
};

// Where the guest's processes are put: descriptors of control groups, borrowed for the call.
struct Placement {
  int v2_dir = -1;
  std::vector<int> v1_joins;
  bool memory_held = false;     // a control group holds memory, so no RLIMIT_DATA is needed
  bool processes_held = false;  // a control group counts and refuses forks
  bool cpu_held = false;        // a control group caps the CPU, so no affinity is needed
};

class Cell {
 public:
  virtual ~Cell() = default;

  virtual const Fd& control() const = 0;
  virtual Fd& stdin_pipe() = 0;
  virtual const Fd& stdout_pipe() const = 0;
  virtual const Fd& stderr_pipe() const = 0;
  virtual const Fd& workspace() const = 0;
  virtual const std::vector<Fd>& vaults() const = 0;  // in the order of the spec
  virtual const Fd& procfs() const = 0;
  // The listener behind a door of the spec, non-blocking; empty for one it does not have.
  virtual const Fd& door(Door door) const = 0;
  // Readable once the guest has ended; Reap() then says how, once.
  virtual const Fd& ended() const = 0;
  virtual Result<Ending> Reap() = 0;
  // No two cells of a backend that live have the same.
  virtual pid_t number() const = 0;
  // Processes and threads of what builds its walls that its control group has room for. None: the
  // group holds only what the guest has started, and what is left in it at the end is the guest's.
  virtual std::uint32_t runtime_processes() const { return 0; }
  // Null where the interpreter was started for this cell.
  virtual std::shared_ptr<CellTemplate> copy_of() const { return nullptr; }

  // SIGINT to the guest, as a terminal would send it.
  virtual void Interrupt() = 0;
  // Sends the end to every process of the cell, and does not wait for it.
  virtual void Kill() = 0;
  // The same, and waits until they are gone. The guest's wait status is lost if nobody has it yet.
  virtual void Finish() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Starts a sealed cell. Thread-safe.
  virtual Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) = 0;
  // What the control group of such a cell is made for: room for what builds the walls, besides.
  virtual policy::Limits GroupLimits(const CellSpec& spec) const { return spec.limits; }
  // The image that a request has which asks for `image`.
  virtual std::string ImageFor(const std::string& image) const { return image; }
  // Which walls are in force, for the result's "layers" and for doctor.
  virtual json::object Layers() const = 0;
  // Whether a kernel of gVisor's stands between its guests and the host's.
  virtual bool HasGvisor() const { return false; }
};

}  // namespace belljar::isolate
