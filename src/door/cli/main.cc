#include <cstdio>
#include <exception>

#include "door/cli/command.h"

int main(int argc, char** argv) {
  try {
    return belljar::door::cli::Main(argc, argv, BELLJAR_VERSION);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "belljar: %s\n", error.what());
    return belljar::door::cli::kOwnFailure;
  }
}
