// What one engine owns. For the files that make up the engine, and nobody else.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "engine/artefacts.h"
#include "engine/asking.h"
#include "engine/assessment.h"
#include "engine/engine.h"
#include "engine/network.h"
#include "engine/switch_off.h"
#include "engine/tools.h"

namespace belljar::engine {

// A cell that is being built while the request that it is for is judged.
struct BegunCell {
  isolate::CellSpec spec;
  std::future<Result<session::PreparedCell>> made;
};

struct Engine::Parts {
  Options options;
  SwitchedOff off;
  Assessment assessment;
  Asking asking;
  image::ImageStore images;
  monitor::CgroupTree groups;
  std::unique_ptr<isolate::Backends> backends;
  std::unique_ptr<session::CellFactory> factory;
  std::unique_ptr<session::WarmPool> pool;  // null: cells are built one by one
  std::mutex mutex;
  std::set<std::string> guest_compiled;  // images whose guest is, or was tried to be
  std::map<std::string, std::string> image_builds;
  Networks networks;
  std::unique_ptr<broker::Egress> egress;  // made when it is first wanted
  std::unique_ptr<Tools> tools;
  std::unique_ptr<Artefacts> artefacts;
  std::unique_ptr<BegunCell> begun;  // for the one request of this process
  std::future<void> redactor;        // likewise: whoever wants one finds it made
};

}  // namespace belljar::engine
