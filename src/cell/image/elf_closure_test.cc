#include "cell/image/elf_closure.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cell/image/elf.h"
#include "cell/image/libraries.h"
#include "cell/image/library_cache.h"
#include "cell/image/scratch.h"

namespace belljar::cell::image {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

struct ElfParts {
  std::vector<std::string> needed = {};
  std::string rpath = {};
  std::string runpath = {};
  std::uint16_t machine = EM_X86_64;
};

template <class T>
void Append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The smallest library with dependencies: header, two program headers, dynamic table, strings.
std::string MakeElf(const ElfParts& parts) {
  std::string strings(1, '\0');
  std::vector<Elf64_Dyn> table;
  const auto add = [&](Elf64_Sxword tag, const std::string& text) {
    table.push_back({tag, {strings.size()}});
    strings += text + '\0';
  };
  for (const std::string& name : parts.needed) add(DT_NEEDED, name);
  if (!parts.rpath.empty()) add(DT_RPATH, parts.rpath);
  if (!parts.runpath.empty()) add(DT_RUNPATH, parts.runpath);
  const std::uint64_t table_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  const std::uint64_t table_bytes = (table.size() + 2) * sizeof(Elf64_Dyn);
  table.push_back({DT_STRTAB, {table_at + table_bytes}});
  table.push_back({DT_NULL, {0}});

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = parts.machine;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  std::string bytes;
  Append(bytes, header);
  const std::uint64_t size = table_at + table_bytes + strings.size();
  Append(bytes, Elf64_Phdr{PT_LOAD, PF_R, 0, 0, 0, size, size, 4096});
  Append(bytes, Elf64_Phdr{PT_DYNAMIC, PF_R, table_at, table_at, 0, table_bytes, table_bytes, 8});
  for (const Elf64_Dyn& item : table) Append(bytes, item);
  return bytes + strings;
}

std::string MakeCache(const std::vector<std::pair<std::string, std::string>>& libraries) {
  std::string entries;
  std::string strings;
  const std::size_t strings_at = 48 + 24 * libraries.size();
  for (const auto& [name, path] : libraries) {
    Append(entries, std::int32_t{0x0303});
    Append(entries, static_cast<std::uint32_t>(strings_at + strings.size()));
    strings += name + '\0';
    Append(entries, static_cast<std::uint32_t>(strings_at + strings.size()));
    strings += path + '\0';
    Append(entries, std::uint32_t{0});
    Append(entries, std::uint64_t{0});
  }
  std::string bytes = "glibc-ld.so.cache1.1";
  Append(bytes, static_cast<std::uint32_t>(libraries.size()));
  bytes.resize(48, '\0');
  return bytes + entries + strings;
}

std::vector<std::string> Paths(const Closure& closure) {
  std::vector<std::string> paths;
  for (const Library& library : closure.libraries) paths.push_back(library.path);
  return paths;
}

TEST(FindLibraries, FollowsTheLibrariesOfLibraries) {
  const Scratch host;
  host.Write("usr/bin/tool", MakeElf({.needed = {"liba.so"}}));
  host.Write("usr/lib/liba.so", MakeElf({.needed = {"libb.so"}}));
  host.Write("usr/lib/libb.so", MakeElf({.needed = {"liba.so"}}));
  const Closure closure = FindLibraries(Root(host.path()), {"/usr/bin/tool"});
  EXPECT_THAT(Paths(closure), ElementsAre("/usr/lib/liba.so", "/usr/lib/libb.so"));
  EXPECT_THAT(closure.missing, IsEmpty());
}

TEST(FindLibraries, ReadsOriginAsTheDirectoryOfTheFile) {
  const Scratch host;
  host.Write("site/pkg/mod.so", MakeElf({.needed = {"libx.so"}, .runpath = "$ORIGIN/../pkg.libs"}));
  host.Write("site/pkg.libs/libx.so", MakeElf({.needed = {"liby.so"}, .runpath = "${ORIGIN}"}));
  host.Write("site/pkg.libs/liby.so", MakeElf({}));
  const Closure closure = FindLibraries(Root(host.path()), {"/site/pkg/mod.so"});
  EXPECT_THAT(Paths(closure),
              ElementsAre("/site/pkg/../pkg.libs/libx.so", "/site/pkg/../pkg.libs/liby.so"));
}

TEST(FindLibraries, EndsWhenLibrariesNameEachOtherByLongerAndLongerPaths) {
  const Scratch host;
  host.Write("libs/a.so", MakeElf({.needed = {"b.so"}, .runpath = "$ORIGIN/../libs"}));
  host.Write("libs/b.so", MakeElf({.needed = {"a.so"}, .runpath = "$ORIGIN/../libs"}));
  EXPECT_EQ(FindLibraries(Root(host.path()), {"/libs/a.so"}).libraries.size(), 2U);
}

TEST(FindLibraries, InheritsRpathButNotRunpath) {
  const Scratch host;
  host.Write("a/r.so", MakeElf({.needed = {"mid.so"}, .rpath = "/deep"}));
  host.Write("a/run.so", MakeElf({.needed = {"mid.so"}, .runpath = "/deep"}));
  host.Write("deep/mid.so", MakeElf({.needed = {"end.so"}}));
  host.Write("deep/end.so", MakeElf({}));
  const Root root(host.path());
  EXPECT_THAT(Paths(FindLibraries(root, {"/a/r.so"})), Contains("/deep/end.so"));
  const Closure by_runpath = FindLibraries(root, {"/a/run.so"});
  ASSERT_EQ(by_runpath.missing.size(), 1U);
  EXPECT_EQ(by_runpath.missing[0].name, "end.so");
  EXPECT_EQ(by_runpath.missing[0].needed_by, "/deep/mid.so");
}

TEST(FindLibraries, PassesOverALibraryForAnotherMachine) {
  const Scratch host;
  host.Write("usr/bin/tool", MakeElf({.needed = {"liba.so"}}));
  host.Write("lib64/liba.so", MakeElf({.machine = EM_AARCH64}));
  host.Write("usr/lib/liba.so", MakeElf({}));
  const Closure closure = FindLibraries(Root(host.path()), {"/usr/bin/tool"});
  EXPECT_THAT(Paths(closure), ElementsAre("/usr/lib/liba.so"));
}

TEST(FindLibraries, FindsThoseOfTheHostsOwnShell) {
  const auto sh = Root("/").FindFile("/bin/sh");
  ASSERT_TRUE(sh);
  const Closure closure = FindLibraries(Root("/"), {sh->path});
  EXPECT_THAT(closure.missing, IsEmpty());
  std::vector<std::string> names;
  for (const Library& library : closure.libraries) names.push_back(library.name);
  EXPECT_THAT(names, Contains("libc.so.6"));
  EXPECT_THAT(names, Contains(testing::StartsWith("ld-linux")));
}

TEST(ParseElf, SurvivesEveryTruncationAndEveryFlippedByte) {
  const std::string whole = MakeElf({.needed = {"liba.so", "libb.so"}, .runpath = "/x:/y"});
  const auto parse = [](const std::string& bytes) {
    return ParseElf([&](std::uint64_t offset, void* to, std::size_t size) {
      if (offset > bytes.size() || size > bytes.size() - offset) return false;
      std::memcpy(to, bytes.data() + offset, size);
      return true;
    });
  };
  const auto elf = parse(whole);
  ASSERT_TRUE(elf);
  EXPECT_THAT(elf->needed, ElementsAre("liba.so", "libb.so"));
  EXPECT_THAT(elf->runpath, ElementsAre("/x", "/y"));
  EXPECT_FALSE(parse(whole.substr(0, sizeof(Elf64_Ehdr) - 1)));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    static_cast<void>(parse(whole.substr(0, i)));
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    static_cast<void>(parse(damaged));
  }
}

TEST(LibraryCache, KeepsTheOrderOfTheCache) {
  const auto cache =
      LibraryCache::Parse(MakeCache({{"libz.so.1", "/opt/libz.so.1"}, {"libz.so.1", "/lib/z"}}));
  EXPECT_THAT(cache.Paths("libz.so.1"), ElementsAre("/opt/libz.so.1", "/lib/z"));
  EXPECT_THAT(cache.Paths("libq.so"), IsEmpty());
}

TEST(LibraryCache, HasNoEntriesWhenItIsCutAnywhereBeforeItsStrings) {
  const std::string whole = MakeCache({{"libz.so.1", "/opt/libz.so.1"}});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_THAT(LibraryCache::Parse(whole.substr(0, i)).Paths("libz.so.1"), IsEmpty()) << i;
  }
}

class AddLibrariesTest : public testing::Test {
 protected:
  AddLibrariesTest() {
    host_.Write("usr/bin/tool", MakeElf({.needed = {"libc.so.6", "libfar.so"}}), 0755);
    host_.Write("usr/lib/libc.so.6", MakeElf({}));
  }
  Result<> AddFor(const std::string& program) {
    plan_.AddFile(program, host_.path() + program);
    return AddLibraries(Root(host_.path()), plan_, {program});
  }
  Scratch host_;
  FilePlan plan_;
};

TEST_F(AddLibrariesTest, LinksWhatOnlyTheCacheFindsIntoTheCLibrarysDirectory) {
  host_.Write("opt/far/libfar.so", MakeElf({}));
  host_.Write("etc/ld.so.cache", MakeCache({{"libfar.so", "/opt/far/libfar.so"}}));
  ASSERT_TRUE(AddFor("/usr/bin/tool"));
  EXPECT_TRUE(plan_.Has("/opt/far/libfar.so"));
  ASSERT_TRUE(plan_.Has("/usr/lib/libfar.so"));
  EXPECT_EQ(plan_.entries().at("/usr/lib/libfar.so").from, "/opt/far/libfar.so");
  EXPECT_FALSE(plan_.Has("/etc/ld.so.cache"));
}

TEST_F(AddLibrariesTest, NamesTheMissingLibraryOfARequiredProgram) {
  const auto added = AddFor("/usr/bin/tool");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message(),
            "libfar.so, which /usr/bin/tool needs, is not on this host: install it");
}

TEST_F(AddLibrariesTest, LeavesTheLibrariesOfAMovedTreeWhereTheTreeIs) {
  host_.Write("tmp/site/mod.so", MakeElf({.needed = {"libx.so"}, .runpath = "$ORIGIN/libs"}));
  host_.Write("tmp/site/libs/libx.so", MakeElf({}));
  const Root root(host_.path());
  ASSERT_TRUE(plan_.AddTree(root, "/tmp/site", "/venv", {}));
  ASSERT_TRUE(AddLibraries(root, plan_, {}));
  EXPECT_TRUE(plan_.Has("/venv/libs/libx.so"));
  EXPECT_FALSE(plan_.Has("/tmp"));
}

}  // namespace
}  // namespace belljar::cell::image
