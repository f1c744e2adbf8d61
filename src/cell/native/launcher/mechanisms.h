// The kernel mechanisms that confine a guest, one function each. True: the mechanism is in force;
// false: errno says why not. child.cc alone calls them, in its order; none of them allocates.
#pragma once

#include "cell/native/launcher/child.h"

namespace belljar::cell::native {

struct Guest {
  const GuestOrder& order;
  const GuestFds& fds;
};

bool TakeDescriptors(const Guest& guest);
bool JoinCgroups(const Guest& guest);
bool JoinNamespaces(const Guest& guest);
bool NewCgroupNamespace(const Guest& guest);
bool NewKeyring(const Guest& guest);
bool SetResourceLimits(const Guest& guest);
bool LeadSession(const Guest& guest);
bool NestUser(const Guest& guest);
bool DropBoundingSet(const Guest& guest);
bool LockSecurebits(const Guest& guest);
bool BecomeUser(const Guest& guest);
bool DropCapabilities(const Guest& guest);
bool SetNoNewPrivileges(const Guest& guest);
bool RestrictWithLandlock(const Guest& guest);
bool CloseDescriptors(const Guest& guest);
bool EnterWorkspace(const Guest& guest);
bool InstallGuestFilter(const Guest& guest);
bool CheckSelf(const Guest& guest);

// Also used by the agent and by init.
bool DropAllCapabilities();
bool WriteText(const char* path, const char* text);
bool InstallBaseFilter();
bool CloseFilterFor(FilterKind kind);
bool CloseAllBut(const int* keep, int count);

}  // namespace belljar::cell::native
