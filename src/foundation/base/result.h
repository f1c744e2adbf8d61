// Result<T>: a value, or the Error that prevented it.
//
// Every fallible call returns a Result, and a dropped Result does not compile. An Error has a kind
// (what the caller can do about it), a message that names the thing that failed, and the errno
// behind it. How a guest's run ended is never an Error but an Outcome (result/outcome.h).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace belljar {

enum class Kind { kInvalid, kDenied, kNotFound, kExhausted, kUnavailable, kInternal };

// The word used for a kind in JSON errors and logs.
std::string_view KindName(Kind kind);

// The kind that fits an errno.
Kind KindOf(int sys);

class Error {
 public:
  Error(Kind kind, std::string message, int sys = 0)
      : kind_(kind), message_(std::move(message)), sys_(sys) {}

  Kind kind() const { return kind_; }
  int sys() const { return sys_; }
  const std::string& message() const { return message_; }

  // Prepends the operation that failed: "start cell: mount /proc: Operation not permitted".
  Error While(std::string_view purpose) && {
    return Error(kind_, std::string(purpose) + ": " + message_, sys_).RetryAfter(retry_after_);
  }

  // When the caller should try again, if it was refused because of a rate or capacity limit. 0:
  // unknown, or trying again would not help.
  std::chrono::seconds retry_after() const { return retry_after_; }
  Error RetryAfter(std::chrono::seconds wait) && {
    retry_after_ = wait;
    return std::move(*this);
  }

 private:
  Kind kind_;
  std::string message_;
  int sys_;
  std::chrono::seconds retry_after_{0};
};

template <class T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error error() && { return std::move(*std::get_if<1>(&state_)); }

  // The same result; a failure's message is prefixed with `purpose`.
  Result While(std::string_view purpose) && {
    if (*this) return std::move(*this);
    return std::move(*std::get_if<1>(&state_)).While(purpose);
  }

 private:
  std::variant<T, Error> state_;
};

// The value inside a successful Result<void>.
struct Done {};

template <>
class [[nodiscard]] Result<void> : public Result<Done> {
 public:
  Result() : Result<Done>(Done{}) {}
  Result(Error error) : Result<Done>(std::move(error)) {}
  Result(Result<Done> other) : Result<Done>(std::move(other)) {}
  void operator*() && {}

  Result While(std::string_view purpose) && {
    if (*this) return {};
    return std::move(*this).error().While(purpose);
  }
};

}  // namespace belljar

// Evaluates to the value of `expr`, or returns its error from the enclosing function. Use it only
// as a statement or as a variable's initializer: inside braces GCC 12 leaks the temporaries.
#define BJ_TRY(expr)                                     \
  __extension__({                                        \
    auto bj_result = (expr);                             \
    if (!bj_result) return std::move(bj_result).error(); \
    *std::move(bj_result);                               \
  })
