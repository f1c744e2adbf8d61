// GuestCompiler: the guest program of an image, compiled for the interpreters that start later.
//
// The Python guest starts sooner from bytecode, and only an interpreter of the image can make that.
// So the first Python run in an image is followed by a run of Belljar's own (RunKind::kInternal) in
// a cell of that image, in a thread of its own: no caller waits for it. What it makes is kept
// beside the image (isolate/native/compiled_guest.h). It is tried once for each image and process;
// a failure costs later interpreters time and nothing else.
//
// Thread-safe. The destructor waits for what is under way.
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
  // `images`, and what `go` uses, must outlive it.
  GuestCompiler(const cell::image::ImageStore& images, Go go)
      : images_(images), go_(std::move(go)) {}

  void CompileInBackground(const std::string& image);
  // For a backend that takes the image as a whole: returns when it has been tried.
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
