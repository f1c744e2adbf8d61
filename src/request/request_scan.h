// A streaming scan of a request's text that finds duplicate keys and the id.
//
// It sees what a parsed JSON value no longer has (equal keys), and what a malformed line still has
// (the part before the error). It also stops at an object with very many keys before anything
// hashes them, because an attacker can choose colliding keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::request {

// More than any request needs: files and env are each limited to about a thousand entries.
constexpr std::size_t kMaxObjectKeys = 4096;

struct RequestScan {
  std::optional<std::string> duplicate_key;  // the first duplicate
  bool too_many_keys = false;
  std::optional<std::string> id;  // complete, given once, and valid as an id
  bool numeric_id = false;
};

// Never fails: for malformed text it reports what precedes the error.
RequestScan ScanRequest(std::string_view json_text);

}  // namespace belljar::request
