// Reader: read-only access to a log, for example for the command line beside a running daemon.
//
// It changes nothing and takes no lock. It searches in the database, and reads records and bodies
// that are not in tiles yet from the pending files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "record/log_view.h"
#include "record/search_copy.h"

namespace belljar::record {

class Reader {
 public:
  // `database` as in Log::Options.
  static Result<Reader> Open(const std::string& state_dir, const std::string& database);

  Result<std::vector<Record>> Find(const Filter& filter) { return copy_->Find(filter); }
  Result<std::optional<Record>> At(std::uint64_t index);
  Result<std::optional<std::string>> Body(std::string_view digest);
  // The text of a proof. For a record that no checkpoint covers yet it waits for the next
  // checkpoint, or opens the log and signs one if no process has the log open.
  Result<std::string> Proof(std::uint64_t index);

 private:
  Reader(std::string state_dir, std::string database, std::unique_ptr<SearchCopy> copy)
      : state_dir_(std::move(state_dir)), database_(std::move(database)), copy_(std::move(copy)) {}
  std::string audit_dir() const { return state_dir_ + "/audit"; }

  std::string state_dir_;
  std::string database_;
  std::unique_ptr<SearchCopy> copy_;
};

}  // namespace belljar::record
