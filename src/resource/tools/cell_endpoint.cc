#include "resource/tools/cell_endpoint.h"

#include "resource/tools/tool_server.h"

namespace belljar::resource::tools {

CellToolEndpoint::~CellToolEndpoint() {
  End();
  desk_.Close(*this);
}

void CellToolEndpoint::Begin(std::shared_ptr<ToolRun> run) {
  const std::lock_guard lock(mutex_);
  run_ = std::move(run);
}

void CellToolEndpoint::End() {
  std::unique_lock lock(mutex_);
  if (run_) run_->Stop();
  run_ = nullptr;
  answered_.wait(lock, [this] { return answering_ == 0; });
}

std::string CellToolEndpoint::Answer(std::string_view line) {
  std::shared_ptr<ToolRun> run;
  {
    const std::lock_guard lock(mutex_);
    run = run_;
    if (run) ++answering_;
  }
  if (!run) {
    return R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no run is going on that could call tools","data":{"kind":"denied"}}})";
  }
  struct Done {
    CellToolEndpoint& seat;
    ~Done() {
      const std::lock_guard lock(seat.mutex_);
      if (--seat.answering_ == 0) seat.answered_.notify_all();
    }
  } done{*this};
  return run->Answer(line);
}

}  // namespace belljar::resource::tools
