// The config.json of a container's bundle: the confinement of a cell in OCI's terms.
#pragma once

#include <string>
#include <vector>

#include "cell/backend.h"
#include "foundation/base/json.h"

namespace belljar::cell::oci {

struct BundlePlan {
  std::string place;  // the keeper's directory, with rootfs, belljar and cell below it
  std::vector<std::string> command;    // of the container: the shim and its arguments
  std::vector<std::string> vaults;     // names, in the order of `read_only`
  std::uint32_t read_only_vaults = 0;  // bit i: the i-th vault
  std::uint64_t address_bytes = 0;     // limit of each process; 0: the control group limits memory
  bool guest_is_root = false;          // rootless: there is only one user
};

json::object ContainerConfig(const CellSpec& spec, const BundlePlan& plan);

}  // namespace belljar::cell::oci
