// Rows of the table `approvals`: a Question in its stored form, with its seal.
//
// The seal covers every other column with its type, including the id: a row can neither be changed
// nor take another row's place.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/storage/database.h"
#include "foundation/storage/seal.h"
#include "judgement/approval/question.h"

namespace belljar::judgement::approval {

// The columns, in the order of EncodeRow's values; the seal is last.
constexpr std::array<std::string_view, 25> kRowColumns = {"id",
                                                          "caller",
                                                          "digest",
                                                          "session",
                                                          "state",
                                                          "created_ms",
                                                          "expires_ms",
                                                          "changed_ms",
                                                          "answer_by",
                                                          "answer_ms",
                                                          "answer_digest",
                                                          "grant_kind",
                                                          "grant_expires_ms",
                                                          "level",
                                                          "lang",
                                                          "correlation_id",
                                                          "subject_kind",
                                                          "cut_bytes",
                                                          "answer_note",
                                                          "reason",
                                                          "risks",
                                                          "touches",
                                                          "wishes",
                                                          "subject",
                                                          "seal"};

std::span<const storage::Migration> ApprovalsSchema();

// The columns as "id, caller, …", for SELECT and INSERT.
const std::string& ColumnList();

std::vector<storage::Value> EncodeRow(const storage::SealKey& key, const Question& question);

// Decodes a row. If the seal does not match, the state is kTampered, and the other fields hold what
// the row says.
Question DecodeRow(const storage::SealKey& key, const storage::Row& row);

}  // namespace belljar::judgement::approval
