// Backend: builds the walls around a cell. There is one implementation per kind of wall.
//
// A Cell is a resource. It is started sealed and waits for one RUN frame; one request owns it;
// destroying it ends all its processes and removes its mounts. Everything that its guest says is
// hostile input. The cell's descriptors (the pidfd of its end, its workspace) come from the kernel
// and can be trusted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cell/image/store.h"
#include "cell/listener_places.h"
#include "foundation/base/ending.h"
#include "foundation/base/fd.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/backend.h"
#include "request/limits.h"
#include "request/vault.h"

namespace belljar::cell {

// The process that waits inside a started cell.
enum class GuestKind {
  kNative,      // our own small binary, about to exec a shell or a command
  kPythonWarm,  // a fork of the image's zygote; in a container, an interpreter that waits in a pool
  kPythonCold,  // an interpreter started for this cell
  kNode,        // an interpreter started for this cell
};

// The warm interpreter (zygote) that a cell's interpreter was forked from. Checkpoints of memory
// can move between cells that have the same template. Reference-counted: it lives as long as it is
// in use.
class CellTemplate {
 public:
  virtual ~CellTemplate() = default;
  virtual bool Is(const CellTemplate& other) const = 0;
};

// A directory below /vault in the cell; it is empty until the supervisor has filled it.
struct VaultSpec {
  std::string name;
  request::VaultMode mode = request::VaultMode::kReadOnly;
  bool operator==(const VaultSpec&) const = default;
};

// A stopped container that its runtime has written into a directory: the runtime's kernel, its
// processes and their memory. The files that the container could write to on the host are not
// included.
struct SavedContainer {
  Fd dir;
  std::uint32_t uid = 0;  // the guest's uid
  std::string tree;       // tree of the image that the guest has open files of
};

// How a new container is restored from a saved one.
struct Resumption {
  std::shared_ptr<const SavedContainer> from;
  // Fills the tree that the guest can write to (Cell::written) before any process runs.
  std::function<Result<>(const Fd& written)> fill;
};

// A file or directory of the host that a cell sees read-only at /artefacts/NAME. It is a bind mount
// of that very inode, not a copy; the caller guarantees that it does not change.
struct ArtefactSpec {
  std::string name;
  std::string path;  // on the host
  // O_PATH; shared with the owner that keeps the artefact during the cell's life
  std::shared_ptr<const Fd> content;
  bool operator==(const ArtefactSpec&) const = default;
};

// Describes how a cell is built. Cells with equal specs are interchangeable until one is used.
struct CellSpec {
  request::BackendKind backend = request::BackendKind::kNative;
  std::string image;
  GuestKind guest = GuestKind::kNative;
  request::Limits limits;
  std::optional<std::uint64_t> deterministic;
  std::shared_ptr<CellTemplate> copy_of;  // fork of exactly this zygote; null: of the newest one
  std::vector<VaultSpec> vaults;
  std::vector<ArtefactSpec> artefacts;
  std::set<CellListener> listeners;
  // set: the guest is restored and sends no HELLO, it has done so before
  std::shared_ptr<const Resumption> resumes;

  bool operator==(const CellSpec&) const = default;
};

// Control groups that the guest's processes are put into: descriptors, borrowed for the call.
struct Placement {
  int v2_dir = -1;
  std::vector<int> v1_joins;
  bool memory_held = false;     // a control group limits memory, so no RLIMIT_DATA is needed
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
  // The tree that is saved and restored together with the guest.
  virtual const Fd& written() const { return workspace(); }
  virtual const std::vector<Fd>& vaults() const = 0;  // in the order of the spec
  virtual const Fd& procfs() const = 0;
  // A non-blocking listening socket. The processes of the cell, and no others, can connect to it.
  // Empty for a listener that the spec does not name.
  virtual const Fd& listener(CellListener listener) const = 0;
  // Readable once the guest has ended; Reap() then returns how it ended, and may be called once.
  virtual const Fd& ended() const = 0;
  virtual Result<Ending> Reap() = 0;
  // A number that is unique among the living cells of a backend.
  virtual pid_t number() const = 0;
  // How many processes and threads of the cell's own runtime (for example gVisor's) its control
  // group must have room for. 0: the group holds only processes of the guest, so all that remain at
  // the end are the guest's.
  virtual std::uint32_t runtime_processes() const { return 0; }
  // The zygote that the interpreter was forked from; null if it was started for this cell.
  virtual std::shared_ptr<CellTemplate> copy_of() const { return nullptr; }

  // Stops the cell, writes it into the directory, calls `meanwhile`, and resumes the cell with new
  // descriptors. kInvalid: the cell cannot be saved and is unchanged. If `meanwhile` fails, the
  // cell is resumed and that error is returned. After any other error the cell has ended.
  virtual Result<SavedContainer> Save(Fd, const std::function<Result<>()>&) {
    return Error(Kind::kInvalid, "its walls cannot be saved with it");
  }

  // Releases the output of a restored cell: what its guest prints is held back until this call.
  virtual void Speak() {}

  // SIGINT to the guest, as a terminal would send it.
  virtual void Interrupt() = 0;
  // Sends SIGINT to all processes of the cell, for a guest that did not react to Interrupt(): it
  // may be waiting for a program that it started, with SIGINT ignored, as system(3) does.
  virtual void InterruptAll() { Interrupt(); }
  // The diagnosis of the cell's runtime in words; "" for a backend without such a runtime. May take
  // a few seconds, and afterwards the cell can only be ended.
  virtual std::string Condition() { return ""; }
  // Sends SIGKILL to every process of the cell and does not wait.
  virtual void Kill() = 0;
  // Like Kill(), and waits until the processes are gone. A wait status that was not yet reaped is
  // lost.
  virtual void Finish() = 0;
};

// How long a guest may take until its HELLO, and the advice for the user if it takes longer.
struct Patience {
  std::chrono::milliseconds time{20'000};
  std::string advice;  // empty: there is no advice to give
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Starts a sealed cell. Thread-safe.
  virtual Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) = 0;
  // Limits of the control group of such a cell, including room for the cell's own runtime.
  virtual request::Limits GroupLimits(const CellSpec& spec) const { return spec.limits; }
  virtual Patience PatienceFor(const CellSpec&) const { return {}; }
  // The image that is used for a request that asks for `image`.
  virtual std::string ImageFor(const std::string& image) const { return image; }
  // The walls that are in force, for the result's "layers" and for doctor.
  virtual json::object Layers() const = 0;
  // Probes the runtime with everything that a spec may ask of it, in a cell of that image that runs
  // no user code. The error says which feature does not work.
  virtual Result<> Examine(const std::string&) { return {}; }
  // Whether gVisor's user-space kernel stands between the guests and the host's kernel.
  virtual bool HasGvisor() const { return false; }
};

}  // namespace belljar::cell
