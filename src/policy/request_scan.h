// One pass over a request's text that builds nothing: which keys come twice, and the id.
//
// It sees what a finished JSON value has lost (equal keys) and what a broken line still has (the
// part before the mistake). It also stops at an object with absurdly many keys before anything
// hashes them, because keys can be chosen to collide.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::policy {

// More than any request needs: files and env are each limited to about a thousand.
constexpr std::size_t kMaxObjectKeys = 4096;

struct RequestScan {
  std::optional<std::string> duplicate_key;  // the first one
  bool too_many_keys = false;
  std::optional<std::string> id;  // whole, given once, and acceptable as an id
  bool numeric_id = false;
};

// Never fails: on malformed text it reports what came before the mistake.
RequestScan ScanRequest(std::string_view json_text);

}  // namespace belljar::policy
