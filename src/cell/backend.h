// Backend: what builds the walls around a cell. One implementation per kind of wall.
//
// A Cell is a resource: started sealed and waiting for one RUN frame, owned by one request, and
// gone with all its processes and mounts when it is destroyed. What the guest in it says is
// hostile; what its descriptors (its end, its workspace) say is the kernel's word.
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
  request::VaultMode mode = request::VaultMode::kReadOnly;
  bool operator==(const VaultSpec&) const = default;
};

// A container that was stopped, whole: its kernel, its processes and their memory, as its runtime
// has written them into a directory. What it could write to outside of itself is not in there.
struct SavedContainer {
  Fd dir;
  std::uint32_t uid = 0;  // its guest's
  std::string tree;       // of the image: which one its guest has open files of
};

// How a new container goes on from a saved one.
struct Resumption {
  std::shared_ptr<const SavedContainer> from;
  // Fills what the guest can write to (Cell::written), before anything runs.
  std::function<Result<>(const Fd& written)> fill;
};

// A file or a directory of the host's that a cell sees at /artefacts/NAME, and can only read: a
// view of that very inode, not a copy. Who asks for it has made sure that nobody changes it.
struct ArtefactSpec {
  std::string name;
  std::string path;                   // on the host
  std::shared_ptr<const Fd> content;  // O_PATH; shared with who holds it for the cell's time
  bool operator==(const ArtefactSpec&) const = default;
};

// What a cell is built to. Cells with equal specs are interchangeable until one is used.
struct CellSpec {
  request::BackendKind backend = request::BackendKind::kNative;
  std::string image;
  GuestKind guest = GuestKind::kNative;
  request::Limits limits;
  std::optional<std::uint64_t> deterministic;
  std::shared_ptr<CellTemplate> copy_of;  // this one and no other; null: the newest
  std::vector<VaultSpec> vaults;
  std::vector<ArtefactSpec> artefacts;
  std::set<CellListener> listeners;
  std::shared_ptr<const Resumption> resumes;  // its guest says no hello: it has said it long ago

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
  // The tree that has to be saved with the guest.
  virtual const Fd& written() const { return workspace(); }
  virtual const std::vector<Fd>& vaults() const = 0;  // in the order of the spec
  virtual const Fd& procfs() const = 0;
  // A listener, non-blocking: whoever connects to it is a process of the cell that has come to that
  // listener. Empty for a listener that the spec does not have.
  virtual const Fd& listener(CellListener listener) const = 0;
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

  // Stops the cell, writes it into the directory, calls `meanwhile`, and lets it go on, behind new
  // descriptors. kInvalid: it cannot be saved, and nothing has changed. An error of `meanwhile` is
  // returned, and it goes on as well; after any other it has ended.
  virtual Result<SavedContainer> Save(Fd, const std::function<Result<>()>&) {
    return Error(Kind::kInvalid, "its walls cannot be saved with it");
  }

  // One that goes on from a saved one answers, and what it prints is held back until this.
  virtual void Speak() {}

  // SIGINT to the guest, as a terminal would send it.
  virtual void Interrupt() = 0;
  // And to what it has started, for a guest that has not heeded the first: it may be waiting for
  // such a program, with its own ears shut, as in system(3).
  virtual void InterruptAll() { Interrupt(); }
  // What is said of it by what builds its walls, in words; "" where there is nobody to ask. It may
  // take a few seconds, and the cell is good for nothing afterwards but to be ended.
  virtual std::string Condition() { return ""; }
  // Sends the end to every process of the cell, and does not wait for it.
  virtual void Kill() = 0;
  // The same, and waits until they are gone. The guest's wait status is lost if nobody has it yet.
  virtual void Finish() = 0;
};

// How long a guest may take to its first word, and what to do if it takes longer.
struct Patience {
  std::chrono::milliseconds time{20'000};
  std::string advice;  // empty: nothing that anybody could do
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Starts a sealed cell. Thread-safe.
  virtual Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) = 0;
  // What the control group of such a cell is made for: room for what builds the walls, besides.
  virtual request::Limits GroupLimits(const CellSpec& spec) const { return spec.limits; }
  virtual Patience PatienceFor(const CellSpec&) const { return {}; }
  // The image that a request has which asks for `image`.
  virtual std::string ImageFor(const std::string& image) const { return image; }
  // Which walls are in force, for the result's "layers" and for doctor.
  virtual json::object Layers() const = 0;
  // Takes what builds the walls through all that it may be told, in a cell of that image in which
  // nobody's code runs. The error says what it does not do.
  virtual Result<> Examine(const std::string&) { return {}; }
  // Whether a kernel of gVisor's stands between its guests and the host's.
  virtual bool HasGvisor() const { return false; }
};

}  // namespace belljar::cell
