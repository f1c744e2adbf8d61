// DockerContainer: one container, from its creation on. Removed when it is destroyed.
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
  // `api` must outlive it. `volumes` are made before it and removed after it.
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

  // Before it is started, so that nothing it says is missed.
  Result<Fd> Attach() const { return api_->Attach(id_); }
  // Starts it and takes hold of its first process.
  Result<> Start();

  const std::string& id() const { return id_; }
  pid_t pid() const { return pid_; }  // of the runtime's process that holds it
  // The root of the volume that is mounted at `path` inside.
  Result<Fd> OpenVolume(const std::string& path) const;

  // Sets how much fits into a volume, whatever it was made to.
  static Result<> SetSize(const Fd& volume, std::uint64_t bytes, std::uint64_t inodes);

  // SIGKILL to the process that holds it: with it goes everything inside.
  void Kill() const;
  // The same, waits for it, and has the daemon remove the container and its volumes.
  void Finish();

 private:
  explicit DockerContainer(const EngineApi& api) : api_(&api) {}
  Result<> Inspect();

  const EngineApi* api_;
  std::string id_;  // empty: there is none any more
  pid_t pid_ = 0;
  Fd pidfd_;
  std::map<std::string, std::string> places_;  // of volumes: inside, and on the daemon's host
  std::vector<std::string> volumes_;           // that have names, and so outlive it
};

}  // namespace belljar::cell::docker
