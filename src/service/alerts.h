// Alerts: notifies the recipients named in a policy that a run failed.
#pragma once

#include <string>

#include "foundation/log/logger.h"
#include "record/log.h"
#include "run/engine.h"
#include "service/webhook/sender.h"

namespace belljar::service {

class Alerts {
 public:
  // Both must outlive this. `log` null: nothing is recorded.
  Alerts(log::Journal& journal, record::Log* log) : journal_(journal), log_(log) {}

  // Returns "told" (written to the log), "queued" (also for a webhook), or "failed".
  std::string Raise(const run::Alert& alert);

 private:
  void Tell(const run::Alert& alert);
  void NoteSent(const run::Origin& origin, const Result<unsigned>& status);

  log::Journal& journal_;
  record::Log* log_;
  webhook::Sender sender_;  // last: its thread uses the members above
};

}  // namespace belljar::service
