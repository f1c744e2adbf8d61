// Telling systemd how far we are (Type=notify).
#pragma once

#include <string_view>

namespace belljar::door::cli {

// One datagram to the socket that systemd has named; nothing where it has named none.
void NotifySystemd(std::string_view state);

// "RELOADING=1" with the time that systemd wants beside it.
void NotifyReloading();

}  // namespace belljar::door::cli
