// Validation of the W3C trace context header.
#pragma once

#include <string_view>

namespace belljar::service {

// Whether this is a traceparent of version 00.
bool IsTraceparent(std::string_view text);

}  // namespace belljar::service
