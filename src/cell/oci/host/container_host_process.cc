#include "cell/oci/host/container_host_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cell/native/host/compiled_guest.h"
#include "cell/native/host/embedded.h"
#include "cell/native/host/runtime_files.h"
#include "cell/native/host/spawn.h"
#include "cell/oci/host/embedded.h"

namespace belljar::cell::oci {
namespace {

using namespace std::chrono_literals;
constexpr auto kKeeperDeadline = 10s;
constexpr auto kSaveDeadline = 60s;

Result<> SendFiles(const Fd& orders, const image::Image& image, native::Identity identity,
                   const std::string& compiled_guest) {
  const auto order = BJ_TRY(native::StageOrderFor(image, identity));
  std::vector<Fd> files = BJ_TRY(native::RuntimeFiles(compiled_guest, native::ToolsClient()));
  files.push_back(BJ_TRY(native::SealedFile(kShimName, ShimProgram())));
  std::vector<int> fds;
  for (const Fd& file : files) fds.push_back(file.get());
  return SendWithFds(orders, native::BytesOf(*order), fds);
}

// Reads what is available now.
std::string ReadNow(const Fd& from) {
  std::string words(4096, '\0');
  const ssize_t said = ::read(from.get(), words.data(), words.size());
  words.resize(said > 0 ? static_cast<std::size_t>(said) : 0);
  return words;
}

}  // namespace

Result<std::unique_ptr<KeeperProcess>> KeeperProcess::Start(const image::Image& image,
                                                            native::Identity identity) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  native::Process process =
      BJ_TRY(native::SpawnProgram("belljar-keeper", KeeperProgram(), ends.theirs));
  ends.theirs.Close();
  const std::string compiled_guest = native::ReadCompiledGuest(image);
  BJ_TRY(SendFiles(ends.ours, image, identity, compiled_guest).While("keeper"));
  auto ready = native::AwaitReport(ends.ours, kKeeperDeadline, "the keeper");
  if (!ready) {
    return std::move(ready).error().While("keep containers of image \"" + image.name + "\"");
  }
  std::unique_ptr<KeeperProcess> keeper(
      new KeeperProcess(image, std::move(process), std::move(ends.ours)));
  if (!compiled_guest.empty()) keeper->guest_path_ = "/.belljar/guest.pyc";
  return keeper;
}

Result<KeeperProcess::Container> KeeperProcess::Make(const ContainerOrder& order, const Fd& stream,
                                                     const Fd& errors, const Fd& config,
                                                     std::span<const Fd> views) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  std::vector<int> fds = {ends.theirs.get(), stream.get(), errors.get(), config.get()};
  for (const Fd& view : views) fds.push_back(view.get());
  Container container;
  {
    const std::lock_guard lock(mutex_);
    BJ_TRY(SendWithFds(orders_, native::BytesOf(order), fds).While("keeper"));
    container.keeper = BJ_TRY(native::ReceiveProcess(orders_, "the keeper"));
  }
  ends.theirs.Close();
  container.life_line = std::move(ends.ours);
  auto received = BJ_TRY(native::AwaitHanded(container.life_line, kHandedVaults + order.vaults));
  container.workspace = std::move(received.fds[kHandedWorkspace]);
  container.procfs = std::move(received.fds[kHandedProcfs]);
  container.written = std::move(received.fds[kHandedWritten]);
  for (std::size_t i = kHandedVaults; i < received.fds.size(); ++i) {
    container.vaults.push_back(std::move(received.fds[i]));
  }
  return container;
}

Result<> KeeperProcess::Save(const Container& container, const Fd& dir) {
  const PipeEnds errors = BJ_TRY(MakePipe());
  BJ_TRY(SetNonBlocking(errors.read));
  const std::array<int, kSaveFds> fds = {dir.get(), errors.write.get()};
  BJ_TRY(SendWithFds(container.life_line,
                     native::BytesOf(KeeperCommand{KeeperTask::kSaveContainer}), fds));
  const auto saved =
      native::AwaitReport(container.life_line, kSaveDeadline, "the container's image");
  if (saved) return {};
  const std::string said = ReadNow(errors.read);
  return Error(saved.error().kind(), said.empty() ? saved.error().message() : said);
}

Result<> KeeperProcess::Restore(const Container& container, const Fd& dir, const Fd& errors,
                                const Fd& stream) {
  const std::array<int, kRestoreFds> fds = {dir.get(), errors.get(), stream.get()};
  const KeeperCommand command{KeeperTask::kRestoreContainer};
  BJ_TRY(SendWithFds(container.life_line, native::BytesOf(command), fds));
  BJ_TRY(native::AwaitReport(container.life_line, kSaveDeadline, "the container"));
  return {};
}

Result<std::string> KeeperProcess::Tell(const Container& container,
                                        const std::vector<std::string>& words,
                                        const Telling& telling) {
  KeeperCommand command{KeeperTask::kTellRuntime, static_cast<std::uint32_t>(words.size()), {}};
  BJ_TRY(native::PackArgs(words, command.word_bytes));
  const PipeEnds errors = BJ_TRY(MakePipe());
  auto answers = BJ_TRY(MakeSocketPair(SOCK_STREAM));
  BJ_TRY(SetNonBlocking(errors.read));
  BJ_TRY(SetNonBlocking(answers.ours));
  const Fd& stream = telling.stream ? telling.stream : answers.theirs;
  const std::array<int, kTellFds> fds = {stream.get(), errors.write.get()};
  BJ_TRY(SendWithFds(container.life_line, native::BytesOf(command), fds));
  const auto told = native::AwaitReport(container.life_line, telling.time, words.front());
  if (told) return ReadNow(answers.ours);
  const std::string said = ReadNow(errors.read);
  const bool late = told.error().kind() == Kind::kUnavailable;
  return Error(told.error().kind(), late || said.empty() ? told.error().message() : said);
}

}  // namespace belljar::cell::oci
