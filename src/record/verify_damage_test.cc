// Applies every kind of damage to every file of a log; the verifier must notice each.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "record/scratch.h"
#include "record/verify.h"

namespace belljar::record {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesOf(const Scratch& scratch) {
  std::vector<std::string> files;
  for (const auto& file : fs::recursive_directory_iterator(scratch.path("audit"))) {
    if (file.is_regular_file())
      files.push_back(file.path().native().substr(scratch.dir().size() + 1));
  }
  std::sort(files.begin(), files.end());
  return files;
}

using Damage = std::function<std::string(const std::string& bytes, std::size_t at)>;

const std::vector<std::pair<std::string, Damage>>& Damages() {
  static const std::vector<std::pair<std::string, Damage>> all = {
      {"flip",
       [](std::string bytes, std::size_t at) {
         bytes[at] = static_cast<char>(bytes[at] ^ 0x04);
         return bytes;
       }},
      {"drop", [](std::string bytes, std::size_t at) { return bytes.erase(at, 1); }},
      {"swap",
       [](std::string bytes, std::size_t at) {
         std::swap(bytes[at], bytes[(at + 1) % bytes.size()]);
         return bytes;
       }},
      {"truncate", [](const std::string& bytes, std::size_t at) { return bytes.substr(0, at); }},
      {"append", [](const std::string& bytes, std::size_t) { return bytes + "x"; }},
      {"insert", [](std::string bytes, std::size_t at) { return bytes.insert(at, "\1"); }},
  };
  return all;
}

// Applies each kind of damage to each file of the log, at `places` places each; all must be
// noticed.
void ExpectAllDamageIsNoticed(const Scratch& scratch, int places) {
  ASSERT_EQ(FirstBad(scratch.dir()).what, "");
  std::mt19937 random(1);
  for (const std::string& file : FilesOf(scratch)) {
    const std::string good = scratch.Read(file);
    ASSERT_FALSE(good.empty()) << file;
    for (int i = 0; i < places; ++i) {
      const std::size_t at = random() % good.size();
      for (const auto& [name, damage] : Damages()) {
        const std::string bad = damage(good, at);
        if (bad == good) continue;
        scratch.Write(file, bad);
        EXPECT_NE(FirstBad(scratch.dir()).what, "") << name << " " << file << " at " << at;
      }
    }
    fs::remove(scratch.path(file));
    EXPECT_NE(FirstBad(scratch.dir()).what, "") << "removed " << file;
    scratch.Write(file, good);
  }
  EXPECT_EQ(FirstBad(scratch.dir()).what, "");
}

TEST(VerifyDamage, NoticesAllDamageToASealedLog) {
  const Scratch scratch;
  MakeSealed(scratch, 300);
  ExpectAllDamageIsNoticed(scratch, 3);
}

TEST(VerifyDamage, NoticesAllDamageToALogThatWasNotClosed) {
  const Scratch scratch;
  MakeSealed(scratch, 5);
  {
    const auto log = OpenQuiet(scratch.dir());
    AppendRuns(**log, 5);
    ASSERT_TRUE((*log)->Find({}));  // Find() waits until the database has the records
    AppendRuns(**log, 1);
  }
  ExpectAllDamageIsNoticed(scratch, 3);
  const std::string good = scratch.Read("audit/pending-a");
  std::string bad = good;
  bad[700] = static_cast<char>(bad[700] ^ 1);
  scratch.Write("audit/pending-a", bad);
  EXPECT_EQ(FirstBad(scratch.dir()).index, 5U);
}

}  // namespace
}  // namespace belljar::record
