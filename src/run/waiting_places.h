// WaitingPlaces: a counting semaphore that limits how many calls of running programs wait for
// people at the same time.
//
// Each waiting call occupies a cell and one of the 64 threads for long operations, while a person
// answers one question at a time. So the total is limited, and so is the number per caller, to keep
// one caller from taking all places.
//
// Thread-safe. Must outlive the places.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "foundation/base/result.h"

namespace belljar::run {

class WaitingPlaces {
 public:
  static constexpr std::size_t kMost = 40;
  static constexpr std::size_t kMostOfOne = 16;

  // Held while a call waits.
  class Place {
   public:
    Place(WaitingPlaces& places, std::string caller)
        : places_(&places), caller_(std::move(caller)) {}
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), caller_(std::move(other.caller_)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) places_->Leave(caller_);
    }

   private:
    WaitingPlaces* places_;
    std::string caller_;
  };

  Result<Place> Take(const std::string& caller);

 private:
  void Leave(const std::string& caller);

  std::mutex mutex_;
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t> taken_by_;
};

}  // namespace belljar::run
