// Sends one HTTP POST to a URL configured by the operator, with a total deadline.
//
// The scheme is http or https; https requires a certificate that this machine trusts and that
// matches the host. Redirects are not followed, and only the status of the answer is read.
#pragma once

#include <chrono>
#include <string>

#include "foundation/base/result.h"

namespace belljar::service::webhook {

// Returns the status of the answer. The address is "http://host[:port][/path]" or https, without a
// password; the body is JSON.
Result<unsigned> Post(const std::string& address, const std::string& body,
                      std::chrono::milliseconds within);

}  // namespace belljar::service::webhook
