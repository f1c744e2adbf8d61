// Artefacts: turns the artefacts that a request asks for into mounts of its cell.
//
// Names are resolved to digests before the request is judged, so that the digest that a person
// approves, a record names and a replay needs is the digest of what is mounted. The store is opened
// on first use.
//
// Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cell/backend.h"
#include "foundation/base/fd.h"
#include "request/request.h"
#include "resource/artefact/store.h"

namespace belljar::run {

class Artefacts {
 public:
  explicit Artefacts(const std::string& state_dir, resource::artefact::Store::Marks marks =
                                                       resource::artefact::Store::Marks::kChecked)
      : dir_(state_dir + "/artefacts"), marks_(marks) {}

  // Removes leftovers of a killed process, if a store exists. Returns a sentence about what failed;
  // the store is then unavailable to later requests.
  std::optional<std::string> Recover();
  Result<resource::artefact::Store> Store();

  // A sentence if the request is refused. An Error is a fault of Belljar's.
  using Refusal = std::optional<std::string>;
  // Resolves each artefact of a request to its digest.
  Result<Refusal> Resolve(request::Request& request);

  // The artefacts that a cell is built with. `holds` keeps them from being removed and must live as
  // long as the cell.
  struct Given {
    std::vector<cell::ArtefactSpec> specs;
    std::vector<std::shared_ptr<const Fd>> holds;
  };
  Result<Refusal> Give(const request::Request& request, Given& given);

 private:
  const std::string dir_;
  const resource::artefact::Store::Marks marks_;
  std::mutex mutex_;
  std::optional<resource::artefact::Store> store_;
};

}  // namespace belljar::run
