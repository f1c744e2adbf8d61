// DockerContainer: one container from its creation on. The destructor removes it.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "cell/docker/engine_api.h"
#include "foundation/base/fd.h"

namespace belljar::cell::docker {

class DockerContainer {
 public:
  // `api` must outlive it. The `volumes` are created before the container and removed after it.
  static Result<DockerContainer> Create(const EngineApi& api, const json::object& body,
                                        const std::vector<json::object>& volumes);
  DockerContainer(DockerContainer&& other) noexcept
      : api_(other.api_),
        id_(std::exchange(other.id_, {})),
        pid_(other.pid_),
        pidfd_(std::move(other.pidfd_)),
        places_(std::move(other.places_)),
        volumes_(std::exchange(other.volumes_, {})) {}
  DockerContainer& operator=(DockerContainer&&) = delete;
  ~DockerContainer() { Finish(); }

  // Call this before Start(), so that no output is lost.
  Result<Fd> Attach() const { return api_->Attach(id_); }
  // Starts the container and opens a pidfd of its first process.
  Result<> Start();

  const std::string& id() const { return id_; }
  pid_t pid() const { return pid_; }  // the runtime's process that holds the container
  // The root directory of the volume that is mounted at `path` inside.
  Result<Fd> OpenVolume(const std::string& path) const;

  // Sets the capacity of a volume, whatever capacity it was created with.
  static Result<> SetSize(const Fd& volume, std::uint64_t bytes, std::uint64_t inodes);

  // Sends SIGKILL to the runtime's process that holds the container; everything inside ends with
  // it.
  void Kill() const;
  // Like Kill(), waits for the end, and has the daemon remove the container and its volumes.
  void Finish();

 private:
  explicit DockerContainer(const EngineApi& api) : api_(&api) {}
  Result<> Inspect();

  const EngineApi* api_;
  std::string id_;  // empty: the container has been removed
  pid_t pid_ = 0;
  Fd pidfd_;
  // of volumes: path inside => path on the daemon's host
  std::map<std::string, std::string> places_;
  // named volumes, which the daemon does not remove with the container
  std::vector<std::string> volumes_;
};

}  // namespace belljar::cell::docker
