// LrPool: a list that grows, for the innermost loops of the driver: what lies between its elements
// and the processor is inlined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace belljar::analysis {

template <class T>
class LrPool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LrPool() = default;
  LrPool(LrPool&& other) noexcept { *this = std::move(other); }
  LrPool& operator=(LrPool&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& last() { return data_[size_ - 1]; }
  std::span<const T> all() const { return {data_.get(), size_}; }

  T& Push(const T& element) {
    if (size_ == capacity_) Grow(1);
    return data_[size_++] = element;
  }
  // Where the next ones will be, with room for `count`.
  T* Room(std::size_t count) {
    if (capacity_ - size_ < count) Grow(count);
    return data_.get() + size_;
  }
  // The last place that has room for `count` from there on.
  const T* Limit(std::size_t count) const { return data_.get() + (capacity_ - count); }
  // Room for `count` more, whatever is in it.
  T* Extend(std::size_t count) {
    if (capacity_ - size_ < count) Grow(count);
    size_ += count;
    return data_.get() + (size_ - count);
  }
  // What was written into the room that was made counts, or what is there does no longer.
  void Resize(std::size_t size) { size_ = size; }
  // Empty again; buffers above a size are not kept for the next text.
  void Clear() {
    size_ = 0;
    if (capacity_ <= kKept) return;
    data_.reset();
    capacity_ = 0;
  }

 private:
  static constexpr std::size_t kFirst = 1024;
  static constexpr std::size_t kKept = std::size_t{1} << 18U;

  [[gnu::noinline]] void Grow(std::size_t count) {
    const std::size_t capacity = std::max({2 * capacity_, size_ + count, kFirst});
    auto grown = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy_n(data_.get(), size_, grown.get());
    data_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace belljar::analysis
