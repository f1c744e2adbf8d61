// Machinery: what one process has to run requests with, each part with one purpose.
//
// Made and owned by the Engine; the pipeline, the cells of runs and the sessions use it. Parts know
// those above them in this list. Thread-safe, as each part is.
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
  const SwitchedOff off;  // controls that a test leaves out
  cell::image::ImageStore images;
  ImageBuilds builds;
  Assessment assessment;
  Asking asking;
  Artefacts artefacts;
  std::unique_ptr<Cells> cells;  // made last, when what a crash has left has been removed
  Networks networks;
  Tools tools;
  Recorder recorder;
  Recovery recovery;
};

}  // namespace belljar::run
