// Alerts: whom a policy names is told that a run did not end well.
#pragma once

#include <string>

#include "audit/log.h"
#include "engine/engine.h"
#include "journal/journal.h"
#include "webhook/sender.h"

namespace belljar::server {

class Alerts {
 public:
  // Both must outlive this. `log` null: nothing is recorded.
  Alerts(journal::Journal& journal, audit::Log* log) : journal_(journal), log_(log) {}

  // What has become of it: "told" (in the log), "queued" (for a webhook too), or "failed".
  std::string Raise(const engine::Alert& alert);

 private:
  void Tell(const engine::Alert& alert);
  void NoteSent(const engine::Origin& origin, const Result<unsigned>& status);

  journal::Journal& journal_;
  audit::Log* log_;
  webhook::Sender sender_;  // the last: its thread uses the others
};

}  // namespace belljar::server
