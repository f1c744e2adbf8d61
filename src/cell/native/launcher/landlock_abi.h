#pragma once

namespace belljar::cell::native {

// The running kernel's Landlock ABI, or a number below 1 where there is none.
int LandlockAbi();

}  // namespace belljar::cell::native
