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

Result<> SendFiles(const Fd& orders, const image::Image& image, Identity identity,
                   const std::string& compiled_guest) {
  const auto order = BJ_TRY(StageOrderFor(image, identity));
  std::vector<Fd> files = BJ_TRY(RuntimeFiles(compiled_guest, ""));
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
                                                     const Fd& errors, const Fd& config) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  const std::array<int, kContainerFds> fds = {ends.theirs.get(), stream.get(), errors.get(),
                                              config.get()};
  Container container;
  {
    const std::lock_guard lock(mutex_);
    BJ_TRY(SendWithFds(orders_, BytesOf(order), fds).While("keeper"));
    container.keeper = BJ_TRY(ReceiveProcess(orders_, "the keeper"));
  }
  ends.theirs.Close();
  container.life_line = std::move(ends.ours);
  auto received = BJ_TRY(AwaitHanded(container.life_line, 2 + order.vaults));
  container.workspace = std::move(received.fds[0]);
  container.procfs = std::move(received.fds[1]);
  for (std::size_t i = 2; i < received.fds.size(); ++i) {
    container.vaults.push_back(std::move(received.fds[i]));
  }
  return container;
}

}  // namespace belljar::isolate
