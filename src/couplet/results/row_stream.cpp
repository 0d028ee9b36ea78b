#include "couplet/results/row_stream.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/hash.hpp"

namespace couplet::results {
namespace {

constexpr size_t half_bytes = 1 << 20;
constexpr std::chrono::milliseconds freshness{500};  // how long a row may wait for its flush

// What a signal handler may touch.
std::atomic<bool> last_call = false;
std::atomic<int> threads_writing = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

uint64_t rows_per_half(size_t columns) {
  return std::max<uint64_t>(16, half_bytes / (columns * sizeof(double)));
}

}  // namespace

RowStream::RowStream(std::unique_ptr<ResultWriter> writer, size_t columns)
    : columns_(columns),
      half_(rows_per_half(columns)),
      ring_(2 * half_ * columns),
      row_(ring_.data()),
      boundary_(half_),
      fingerprint_(base::hash_start),
      writer_(std::move(writer)),
      thread_((++threads_writing, std::thread([this] { run(); }))) {}

void RowStream::save_all() noexcept {
  last_call.store(true);
  for (int tries = 0; tries < 400 && threads_writing.load() > 0; ++tries) {
    const timespec pause{0, 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

RowStream::~RowStream() {
  if (!thread_.joinable()) return;
  try {
    close();
  } catch (...) {  // already reported by commit(), or the run has a reason of its own to end
  }
}

void RowStream::pass_boundary() {
  if (rows_ == boundary_) {
    if (rows_ % (2 * half_) == 0) row_ = ring_.data();
    boundary_ += half_;
    std::unique_lock lock(mutex_);
    wake_.notify_one();
    // The half that is entered now must have been written: all but the half that was just filled.
    done_.wait(lock,
               [&] { return written_.load(std::memory_order_acquire) + half_ >= rows_ || error_; });
  }
  check();
}

void RowStream::check() {
  if (!failed_.load(std::memory_order_acquire)) return;
  const std::scoped_lock lock(mutex_);
  std::rethrow_exception(error_);
}

void RowStream::flush() {
  base::ensure(thread_.joinable(), "a closed stream is not flushed");
  {
    std::unique_lock lock(mutex_);
    const uint64_t mine = ++flush_wanted_;
    wake_.notify_one();
    done_.wait(lock, [&] { return flushed_ >= mine || error_; });
  }
  check();
}

void RowStream::close() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    wake_.notify_one();
  }
  thread_.join();
  std::unique_ptr<ResultWriter> writer = std::move(writer_);  // closed whatever happens below
  check();
  writer->close();
}

void RowStream::run() {
  work();
  --threads_writing;
}

// The thread: takes out what was committed when a half is full, when it is asked to, and twice a
// second.
void RowStream::work() {
  auto last_flush = std::chrono::steady_clock::now();
  uint64_t unflushed_from = 0;
  try {
    for (bool stop = false; !stop;) {
      uint64_t flush_now = 0;
      {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, freshness, [&] {
          return stop_ || flush_wanted_ > flushed_ ||
                 committed_.load(std::memory_order_relaxed) -
                         written_.load(std::memory_order_relaxed) >=
                     half_;
        });
        stop = stop_ || last_call.load();
        flush_now = flush_wanted_;
      }
      const uint64_t end = committed_.load(std::memory_order_acquire);
      write(end);
      const auto now = std::chrono::steady_clock::now();
      const bool stale = end > unflushed_from && now - last_flush >= freshness;
      const bool asked = flush_now > flushed_;  // only this thread changes flushed_
      if (stale || asked || stop) {
        writer_->flush();
        last_flush = now;
        unflushed_from = end;
        const std::scoped_lock lock(mutex_);
        flushed_ = flush_now;
        done_.notify_all();
      }
    }
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    error_ = std::current_exception();
    failed_.store(true, std::memory_order_release);
    done_.notify_all();
  }
}

// Rows up to `end`; at most two pieces, where the ring is closed. The loop may go on as soon as a
// piece is written.
void RowStream::write(uint64_t end) {
  const uint64_t capacity = 2 * half_;
  for (uint64_t from = written_.load(std::memory_order_relaxed); from < end;) {
    const uint64_t first = from % capacity;
    const uint64_t n = std::min(end - from, capacity - first);
    const std::span<const double> rows(ring_.data() + first * columns_, n * columns_);
    writer_->append(rows);
    fingerprint_ = base::hash(rows, fingerprint_);
    from += n;
    written_.store(from, std::memory_order_release);
    const std::scoped_lock lock(
        mutex_);  // so that a waiter cannot miss it between its look and its sleep
    done_.notify_all();
  }
}

}  // namespace couplet::results
