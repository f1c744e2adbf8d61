// Rows of the table `approvals`: a Question as it lies in the database, under its seal.
//
// The seal covers every other column as it lies there, also its type, and the id: a row can neither
// be changed nor stand in for another.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "approval/question.h"
#include "storage/database.h"
#include "storage/seal.h"

namespace belljar::approval {

// In the order of the values that EncodeRow gives. The seal comes last.
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

// "id, caller, …", for SELECT and INSERT.
const std::string& ColumnList();

std::vector<storage::Value> EncodeRow(const storage::SealKey& key, const Question& question);

// A row that is not as it was sealed comes back as kTampered, with what it says for show.
Question DecodeRow(const storage::SealKey& key, const storage::Row& row);

}  // namespace belljar::approval
