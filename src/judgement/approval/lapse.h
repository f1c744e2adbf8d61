// Expiry of questions and grants.
#pragma once

#include <cstdint>

#include "judgement/approval/question.h"

namespace belljar::judgement::approval {

// How far the clocks of machines that share a database may be apart.
constexpr std::int64_t kClockSlackMs = 60'000;

// Whether the question waits or grants something although its time has passed.
inline bool IsPastItsTime(const Question& question, std::int64_t now_ms) {
  if (question.state == State::kWaiting) {
    return now_ms >= question.expires_ms || question.created_ms - now_ms > kClockSlackMs;
  }
  if (question.state != State::kApproved) return false;
  const Answer answer = question.answer.value_or(Answer());
  return now_ms >= answer.grant_expires_ms || answer.at_ms - now_ms > kClockSlackMs;
}

inline void MarkExpired(Question& question, std::int64_t now_ms) {
  question.state = State::kExpired;
  question.changed_ms = now_ms;
}

}  // namespace belljar::judgement::approval
