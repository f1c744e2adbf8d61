// Artefacts: the way from a request's wishes to what is mounted into its cell.
//
// A wish is resolved before it is judged, so that the digest which a person agrees to, a record
// names and a replay needs is that of what is mounted. The store is opened when it is first wanted.
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

  // Removes what a process that was killed has left, if there is a store at all. What could not be
  // done, in a sentence; the store is then refused when it is wanted.
  std::optional<std::string> Recover();
  Result<resource::artefact::Store> Store();

  // A sentence: it is refused. An error is a fault of ours.
  using Refusal = std::optional<std::string>;
  // Gives each wish of a request its digest.
  Result<Refusal> Resolve(request::Request& request);

  // What a cell is built with. The holds must live as long as it does.
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
