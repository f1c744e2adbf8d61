// Names of temporary files. The C library draws them with a system call, which bypasses the
// replaced getrandom().
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cell/guest/preload/deterministic.h"

namespace belljar::deterministic {
namespace {

constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr int kUnknowns = 6;
constexpr int kMostTries = 1000;

void Draw(char* place) {
  std::uint64_t number = 0;
  Fill(&number, sizeof(number));
  for (int i = 0; i < kUnknowns; ++i) {
    place[i] = kLetters[number % (sizeof(kLetters) - 1)];
    number /= sizeof(kLetters) - 1;
  }
}

// Replaces the six X's before the last `suffix` characters by random letters, until `make`
// succeeds.
template <class Make>
int MakeNamed(char* name, int suffix, Make make) {
  const std::size_t length = ::strlen(name);
  const std::size_t tail = static_cast<std::size_t>(suffix) + kUnknowns;
  char* const place = name + length - tail;
  if (suffix < 0 || length < tail || ::memcmp(place, "XXXXXX", kUnknowns) != 0) {
    errno = EINVAL;
    return -1;
  }
  for (int i = 0; i < kMostTries; ++i) {
    Draw(place);
    const int made = make(name);
    if (made >= 0 || errno != EEXIST) return made;
  }
  return -1;
}

int OpenNew(char* name, int suffix, int flags) {
  return MakeNamed(name, suffix, [flags](const char* path) {
    return ::open(path, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
  });
}

}  // namespace

char* Mkdtemp(char* name) BJ_REPLACES(mkdtemp);
char* Mkdtemp(char* name) {
  return MakeNamed(name, 0, [](const char* path) { return ::mkdir(path, 0700); }) < 0 ? nullptr
                                                                                      : name;
}

int Mkstemp(char* name) BJ_REPLACES(mkstemp);
int Mkstemp(char* name) { return OpenNew(name, 0, 0); }

int Mkstemp64(char* name) BJ_REPLACES(mkstemp64);
int Mkstemp64(char* name) { return OpenNew(name, 0, 0); }

int Mkostemp(char* name, int flags) BJ_REPLACES(mkostemp);
int Mkostemp(char* name, int flags) { return OpenNew(name, 0, flags); }

int Mkostemp64(char* name, int flags) BJ_REPLACES(mkostemp64);
int Mkostemp64(char* name, int flags) { return OpenNew(name, 0, flags); }

int Mkstemps(char* name, int suffix) BJ_REPLACES(mkstemps);
int Mkstemps(char* name, int suffix) { return OpenNew(name, suffix, 0); }

int Mkostemps(char* name, int suffix, int flags) BJ_REPLACES(mkostemps);
int Mkostemps(char* name, int suffix, int flags) { return OpenNew(name, suffix, flags); }

}  // namespace belljar::deterministic
