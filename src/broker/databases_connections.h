// DatabaseConnections: how many statements are under way on one database, of all cells together.
//
// A server has only so many connections, and what else uses it needs some of them. What is beyond
// the limit waits for its turn, who came first goes first. A write keeps its connection while a
// person thinks about it, so that writes have half of them: a few questions would else keep
// everybody from reading.
//
// Thread-safe. Must outlive what it hands out.
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

#include "base/result.h"

namespace belljar::broker {

class DatabaseConnections {
 public:
  enum class Use { kRead, kWrite };
  struct Wish {
    std::string name;   // as a program knows it
    std::string which;  // the same for all policies that mean the same database
    std::uint64_t most = 1;
    Use use = Use::kRead;
  };

  // Kept while the statement's process lives.
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

  // Waits until there is one, at most for so long, or until `stop`.
  Result<Turn> Take(const Wish& wish, std::chrono::milliseconds patience,
                    const std::stop_token& stop);

 private:
  struct Of {
    std::uint64_t open = 0;
    std::uint64_t writing = 0;         // of these
    std::list<const Wish*> waiting{};  // the longest first
  };
  static bool HasRoom(const Of& of, const Wish& wish);
  static bool IsNext(const Of& of, const Wish& wish);
  void Leave(const std::string& which, Use use);
  void ForgetIfUnused(const std::string& which);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Of> of_;
};

}  // namespace belljar::broker
