#include "isolate/oci/keeper_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "isolate/native/compiled_guest.h"
#include "isolate/native/embedded.h"
#include "isolate/native/runtime_files.h"
#include "isolate/native/spawn.h"
#include "isolate/oci/embedded.h"

namespace belljar::isolate {
namespace {

using namespace std::chrono_literals;
constexpr auto kKeeperDeadline = 10s;
constexpr auto kSaveDeadline = 60s;

Result<> SendFiles(const Fd& orders, const image::Image& image, Identity identity,
                   const std::string& compiled_guest) {
  const auto order = BJ_TRY(StageOrderFor(image, identity));
  std::vector<Fd> files = BJ_TRY(RuntimeFiles(compiled_guest, ToolsClient()));
  files.push_back(BJ_TRY(SealedFile(kShimName, ShimProgram())));
  std::vector<int> fds;
  for (const Fd& file : files) fds.push_back(file.get());
  return SendWithFds(orders, BytesOf(*order), fds);
}

}  // namespace

Result<std::unique_ptr<KeeperProcess>> KeeperProcess::Start(const image::Image& image,
                                                            Identity identity) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  Process process = BJ_TRY(SpawnProgram("belljar-keeper", KeeperProgram(), ends.theirs));
  ends.theirs.Close();
  const std::string compiled_guest = ReadCompiledGuest(image);
  BJ_TRY(SendFiles(ends.ours, image, identity, compiled_guest).While("keeper"));
  auto ready = AwaitReport(ends.ours, kKeeperDeadline, "the keeper");
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
    BJ_TRY(SendWithFds(orders_, BytesOf(order), fds).While("keeper"));
    container.keeper = BJ_TRY(ReceiveProcess(orders_, "the keeper"));
  }
  ends.theirs.Close();
  container.life_line = std::move(ends.ours);
  auto received = BJ_TRY(AwaitHanded(container.life_line, kHandedVaults + order.vaults));
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
  BJ_TRY(SendWithFds(container.life_line, BytesOf(KeeperCommand{KeeperTask::kSaveContainer}), fds));
  const auto saved = AwaitReport(container.life_line, kSaveDeadline, "the container's image");
  if (saved) return {};
  std::array<char, 1024> words{};
  const ssize_t said = ::read(errors.read.get(), words.data(), words.size() - 1);
  return Error(saved.error().kind(),
               said > 0 ? std::string(words.data()) : saved.error().message());
}

Result<> KeeperProcess::Restore(const Container& container, const Fd& dir, const Fd& errors,
                                const Fd& stream) {
  const std::array<int, kRestoreFds> fds = {dir.get(), errors.get(), stream.get()};
  const KeeperCommand command{KeeperTask::kRestoreContainer};
  BJ_TRY(SendWithFds(container.life_line, BytesOf(command), fds));
  BJ_TRY(AwaitReport(container.life_line, kSaveDeadline, "the container"));
  return {};
}

}  // namespace belljar::isolate
