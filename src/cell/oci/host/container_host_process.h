// KeeperProcess: the supervisor's handle on the keeper of one image's containers.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cell/backend.h"
#include "cell/image/store.h"
#include "cell/native/host/process.h"
#include "cell/native/launcher/orders.h"
#include "cell/oci/host/orders.h"

namespace belljar::cell::oci {

class KeeperProcess {
 public:
  static Result<std::unique_ptr<KeeperProcess>> Start(const image::Image& image,
                                                      native::Identity identity);

  // A container whose directories and mounts exist, and whose keeper waits for the start byte.
  struct Container {
    native::Process keeper;
    Fd life_line;
    Fd workspace;
    Fd procfs;
    Fd written;
    std::vector<Fd> vaults;  // in the order of their names in ContainerOrder
  };
  // `stream`, `errors` and `config` belong to the container; `views` are those of its artefacts.
  Result<Container> Make(const ContainerOrder& order, const Fd& stream, const Fd& errors,
                         const Fd& config, std::span<const Fd> views);

  // Stops the container and has the runtime write its state into the directory.
  static Result<> Save(const Container& container, const Fd& dir);
  // Replaces the container with one restored from the directory.
  static Result<> Restore(const Container& container, const Fd& dir, const Fd& errors,
                          const Fd& stream);

  // Has the runtime execute a command on the container, which `words` must call "cell", and returns
  // its output. A command that does not finish within the time keeps running: end the keeper.
  struct Telling {
    const Fd& stream;  // stdin and stdout of the command; empty: its output is returned
    std::chrono::milliseconds time;
  };
  static Result<std::string> Tell(const Container& container, const std::vector<std::string>& words,
                                  const Telling& telling);

  const image::Image& image() const { return image_; }
  // The path of the Python guest inside a cell.
  const char* GuestPath() const { return guest_path_; }
  bool IsAlive() const { return process_.IsAlive(); }

 private:
  KeeperProcess(image::Image image, native::Process process, Fd orders)
      : image_(std::move(image)), process_(std::move(process)), orders_(std::move(orders)) {}

  image::Image image_;
  const char* guest_path_ = "/.belljar/guest.py";
  std::mutex mutex_;  // one order at a time
  native::Process process_;
  Fd orders_;
};

}  // namespace belljar::cell::oci
