// DatabaseConnections: limits the concurrent statements on each database, over all cells.
//
// A database server accepts a limited number of connections, and other applications need some of
// them. Statements beyond the limit wait in order of arrival. A write keeps its connection while a
// person decides about it, so writes may use only half of the connections: otherwise a few pending
// questions would block all reads.
//
// Thread-safe. Must outlive the turns it hands out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "foundation/base/result.h"

namespace belljar::resource::database {

class DatabaseConnections {
 public:
  enum class Use { kRead, kWrite };
  struct Wish {
    std::string name;  // the name that programs use
    // Identifies the database; equal for all policies that refer to the same one.
    std::string which;
    std::uint64_t most = 1;
    Use use = Use::kRead;
  };

  // A slot for one statement, held while the statement's process lives.
  class Turn {
   public:
    Turn(DatabaseConnections& connections, std::string which, Use use)
        : connections_(&connections), which_(std::move(which)), use_(use) {}
    Turn(Turn&& other) noexcept
        : connections_(std::exchange(other.connections_, nullptr)),
          which_(std::move(other.which_)),
          use_(other.use_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (connections_ != nullptr) connections_->Leave(which_, use_);
    }

   private:
    DatabaseConnections* connections_;
    std::string which_;
    Use use_;
  };

  // Waits for a slot, at most for `patience`, or until `stop`.
  Result<Turn> Take(const Wish& wish, std::chrono::milliseconds patience,
                    const std::stop_token& stop);

 private:
  struct Of {
    std::uint64_t open = 0;
    std::uint64_t writing = 0;         // how many of `open` are writes
    std::list<const Wish*> waiting{};  // the one that has waited longest is first
  };
  static bool HasRoom(const Of& of, const Wish& wish);
  static bool IsNext(const Of& of, const Wish& wish);
  void Leave(const std::string& which, Use use);
  void ForgetIfUnused(const std::string& which);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Of> of_;
};

}  // namespace belljar::resource::database
