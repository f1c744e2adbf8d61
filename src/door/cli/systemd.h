// Notifies systemd of the daemon's state (Type=notify).
#pragma once

#include <string_view>

namespace belljar::door::cli {

// Sends one datagram to $NOTIFY_SOCKET; does nothing if it is unset.
void NotifySystemd(std::string_view state);

// Sends "RELOADING=1" with the monotonic time that systemd requires.
void NotifyReloading();

}  // namespace belljar::door::cli
