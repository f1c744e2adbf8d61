// When a file counts as unchanged.
#include "run/snapshot/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "run/snapshot/scratch.h"

namespace belljar::run::snapshot {
namespace {

class SnapshotMemoryTest : public SnapshotStoreTest {
 protected:
  // Longer than the tick of any kernel, which is at most 10 ms.
  static void LetATickPass() { ::usleep(15'000); }

  struct stat StatAt(const std::string& name) const {
    struct stat about {};
    EXPECT_EQ(::stat(path(name).c_str(), &about), 0);
    return about;
  }
  bool Knows(const std::string& name) const { return memory_.Find(StatAt(name)) != nullptr; }

  // Changes the content, but not the size and the modification time.
  void ChangeQuietly(const std::string& name) {
    const struct stat before = StatAt(name);
    const auto file = Open(path(name), O_WRONLY);
    ASSERT_TRUE(file);
    ASSERT_EQ(::pwrite(file->get(), "!", 1, 0), 1);
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::futimens(file->get(), times), 0);
  }
};

// A shared writable mapping; stores into it change no time once the page was read.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const auto file = Open(path, O_RDWR);
    EXPECT_TRUE(file);
    at_ = static_cast<volatile char*>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file->get(), 0));
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(const_cast<char*>(at_), 4096); }
  void StoreAfterReading(char value) {
    static_cast<void>(at_[0]);
    at_[0] = value;
  }

 private:
  volatile char* at_;
};

TEST_F(SnapshotMemoryTest, AnUnchangedFileIsNotReadAgain) {
  Write("a", "first");
  Write("b", "other");
  LetATickPass();
  const std::string id = TakeId();
  ASSERT_TRUE(Knows("a"));
  // If the store uses its memory instead of the file, it will take this false content.
  memory_.Remember(StatAt("a"), *memory_.Find(StatAt("b")));
  EXPECT_NE(TakeId(), id);
}

TEST_F(SnapshotMemoryTest, AFileOfThisTickIsReadAgain) {
  LetATickPass();
  for (int i = 0; i < 50; ++i) {
    Write("a", "first");
    const std::string id = TakeId();
    ChangeQuietly("a");
    ASSERT_NE(TakeId(), id) << i;
  }
}

TEST_F(SnapshotMemoryTest, AQuietChangeIsSeen) {
  Write("a", "first");
  LetATickPass();
  const std::string id = TakeId();
  ASSERT_TRUE(Knows("a"));
  ChangeQuietly("a");
  EXPECT_NE(TakeId(), id);
}

TEST_F(SnapshotMemoryTest, AFileThatIsMappedForWritingIsReadEachTime) {
  Write("a", std::string(4096, 'a'));
  Mapping mapping(path("a"));
  LetATickPass();
  const std::string id = TakeId();
  EXPECT_FALSE(Knows("a"));
  mapping.StoreAfterReading('b');
  EXPECT_NE(TakeId(), id);
}

TEST_F(SnapshotMemoryTest, AStoreThroughAMappingOfLaterIsSeen) {
  Write("a", std::string(4096, 'a'));
  LetATickPass();
  const std::string id = TakeId();
  ASSERT_TRUE(Knows("a"));
  Mapping(path("a")).StoreAfterReading('b');
  EXPECT_NE(TakeId(), id);
}

TEST_F(SnapshotMemoryTest, ALargeFileThatWasReadIsArmedAndThenRemembered) {
  Write("a", std::string(100'000, 'a'));
  LetATickPass();
  Read("a");  // from now on "relatime" would hide a mapping
  LetATickPass();
  const std::string id = TakeId();
  EXPECT_FALSE(Knows("a"));
  LetATickPass();
  EXPECT_EQ(TakeId(), id);
  ASSERT_TRUE(Knows("a"));
  Mapping(path("a")).StoreAfterReading('b');
  EXPECT_NE(TakeId(), id);
}

TEST_F(SnapshotMemoryTest, WhatIsGoneIsForgotten) {
  Write("a", "a");
  LetATickPass();
  TakeId();
  EXPECT_EQ(memory_.size(), 1U);
  std::filesystem::remove(path("a"));
  TakeId();
  EXPECT_EQ(memory_.size(), 0U);
}

}  // namespace
}  // namespace belljar::run::snapshot
