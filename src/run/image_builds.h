// ImageBuilds: identifies the build of an image that cells are made from, as a short text.
//
// Looked up once per image, because later cells keep using the image tree that the first cell used.
//
// Thread-safe. The images must outlive it.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "cell/image/store.h"

namespace belljar::run {

class ImageBuilds {
 public:
  explicit ImageBuilds(const cell::image::ImageStore& images) : images_(images) {}

  // The build of the image; empty where there is no such image.
  std::string Of(const std::string& image);

 private:
  const cell::image::ImageStore& images_;
  std::mutex mutex_;
  std::map<std::string, std::string> builds_;
};

}  // namespace belljar::run
