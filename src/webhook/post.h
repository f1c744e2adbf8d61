// One POST to an address of the operator's, with a deadline over all of it.
//
// http or https; https is believed only with a certificate that this machine trusts and that names
// the host. No redirect is followed, and of the answer only its status is read.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace belljar::webhook {

// The status of the answer. The address is "http://host[:port][/path]" or https, without a
// password; the body is JSON.
Result<unsigned> Post(const std::string& address, const std::string& body,
                      std::chrono::milliseconds within);

}  // namespace belljar::webhook
