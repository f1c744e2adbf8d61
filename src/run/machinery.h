// Machinery: the long-lived parts that one process runs requests with.
//
// Created and owned by the Engine; used by the pipeline, the run cells and the sessions. Each part
// depends only on those above it in this list. Thread-safe, as each part is.
#pragma once

#include <memory>

#include "cell/image/store.h"
#include "run/artefacts.h"
#include "run/asking.h"
#include "run/assessment.h"
#include "run/cells.h"
#include "run/image_builds.h"
#include "run/network.h"
#include "run/options.h"
#include "run/record.h"
#include "run/recovery.h"
#include "run/switch_off.h"
#include "run/tools.h"

namespace belljar::run {

struct Machinery {
  Machinery(const Options& chosen, const SwitchedOff& left_out, cell::image::ImageStore store)
      : options(chosen),
        off(left_out),
        images(std::move(store)),
        builds(images),
        assessment(options.terms),
        asking(options.approvals, options.log),
        artefacts(options.state_dir, off.artefact_marks),
        networks(assessment, off.broker, options.log),
        tools({assessment, asking, off.broker}, options.on_tool_log, options.log),
        recorder(options.log, builds),
        recovery(asking, recorder, options.on_alert) {}
  Machinery(const Machinery&) = delete;
  Machinery& operator=(const Machinery&) = delete;

  const Options options;
  const SwitchedOff off;  // controls that a test disables
  cell::image::ImageStore images;
  ImageBuilds builds;
  Assessment assessment;
  Asking asking;
  Artefacts artefacts;
  std::unique_ptr<Cells> cells;  // made last, after leftovers of a crash have been removed
  Networks networks;
  Tools tools;
  Recorder recorder;
  Recovery recovery;
};

}  // namespace belljar::run
