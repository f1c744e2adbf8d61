// GuestCompiler: compiles an image's guest program to bytecode for interpreters started later.
//
// The Python guest starts faster from bytecode, which only an interpreter of the image can produce.
// So the first Python run in an image is followed by an internal run (RunKind::kInternal) in a cell
// of that image, on a thread of its own, so no caller waits for it. The bytecode is stored beside
// the image (cell/native/host/compiled_guest.h). It is tried once per image and process; a failure
// only makes later interpreters start slower.
//
// Thread-safe. The destructor waits for compilations in progress.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cell/image/store.h"
#include "run/run.h"

namespace belljar::run {

class GuestCompiler {
 public:
  using Go = std::function<Result<RunResult>(Run&)>;
  // `images`, and everything that `go` uses, must outlive this.
  GuestCompiler(const cell::image::ImageStore& images, Go go)
      : images_(images), go_(std::move(go)) {}

  void CompileInBackground(const std::string& image);
  // For a backend that copies the whole image: compiles before returning.
  void CompileNow(const std::string& image);

 private:
  // Whether this is the first call for that image.
  bool IsFirst(const std::string& image);
  void Compile(const std::string& image);

  const cell::image::ImageStore& images_;
  const Go go_;
  std::mutex mutex_;
  std::set<std::string> tried_;
  std::vector<std::jthread> threads_;
};

}  // namespace belljar::run
