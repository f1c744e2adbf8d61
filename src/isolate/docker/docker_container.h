// DockerContainer: one container, from its creation on. Removed when it is destroyed.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "base/fd.h"
#include "isolate/docker/engine_api.h"

namespace belljar::isolate {

class DockerContainer {
 public:
  // `api` must outlive it.
  static Result<DockerContainer> Create(const EngineApi& api, const json::object& body);
  DockerContainer(DockerContainer&& other) noexcept
      : api_(other.api_),
        id_(std::exchange(other.id_, {})),
        pid_(other.pid_),
        pidfd_(std::move(other.pidfd_)),
        places_(std::move(other.places_)) {}
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

  // SIGKILL to the process that holds it: with it goes everything inside.
  void Kill() const;
  // The same, waits for it, and has the daemon remove the container and its volumes.
  void Finish();

 private:
  DockerContainer(const EngineApi& api, std::string id) : api_(&api), id_(std::move(id)) {}
  Result<> Inspect();

  const EngineApi* api_;
  std::string id_;  // empty: there is none any more
  pid_t pid_ = 0;
  Fd pidfd_;
  std::map<std::string, std::string> places_;  // of volumes: inside, and on the daemon's host
};

}  // namespace belljar::isolate
