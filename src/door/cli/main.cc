#include <cstdio>
#include <exception>

#include "cmd/command.h"

int main(int argc, char** argv) {
  try {
    return belljar::cmd::Main(argc, argv, BELLJAR_VERSION);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "belljar: %s\n", error.what());
    return belljar::cmd::kOwnFailure;
  }
}
