// What an integration loop records to. Rows go into a ring in memory; a thread of its own takes
// them out and writes them, so that the loop waits only when the disk is slower than the
// computation.
//
//   RowStream stream(make_writer("result.h5", signals, about, false), signals.size());
//   while (…) { double* row = stream.row(); row[0] = t; …; stream.commit(); }
//   stream.close();
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "couplet/results/writer.hpp"

namespace couplet::results {

class RowStream {
 public:
  RowStream(std::unique_ptr<ResultWriter> writer, size_t columns);
  /// Writes what was committed, if close() was not called (a run that ends by an exception); says
  /// nothing of errors.
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Memory for one row; valid until commit().
  double* row() { return row_; }

  /// Finishes the row. Costs a few ns and allocates nothing; twice per turn of the ring it wakes
  /// the writer, and waits when that is a whole turn behind. What is committed is on disk at most a
  /// second later. Throws what went wrong in the writer since (ComputationError: disk full, …).
  void commit() {
    row_ += columns_;
    committed_.store(++rows_, std::memory_order_release);
    if (rows_ == boundary_ || failed_.load(std::memory_order_relaxed)) pass_boundary();
  }

  /// Returns when every committed row survives SIGKILL.
  void flush();
  /// flush(), then closes the file.
  void close();
  size_t rows() const { return rows_; }

  /// Of the rows that were there before the first.
  void set_fingerprint(uint64_t before) { fingerprint_ = before; }
  /// base::hash() of all numbers, those before included; ask after flush() or close().
  uint64_t fingerprint() const { return fingerprint_; }

  /// For signal handlers, when the process is about to end: all streams write what was committed,
  /// and stop. Returns when that survives, or after two seconds: the disk hangs, or memory is
  /// damaged. Takes no lock and no memory; nothing may be committed any more.
  static void save_all() noexcept;

 private:
  void pass_boundary();
  void check();
  void run();
  void work();
  void write(uint64_t end);

  const size_t columns_;
  const uint64_t half_;  // rows in half the ring
  std::vector<double> ring_;

  // The loop's own: no other thread looks at these.
  double* row_;
  uint64_t rows_ = 0;
  uint64_t boundary_;  // when rows_ gets here, one half is full

  alignas(64) std::atomic<uint64_t> committed_ = 0;
  alignas(64) std::atomic<uint64_t> written_ = 0;
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;  // of what follows
  std::condition_variable wake_, done_;
  uint64_t flush_wanted_ = 0, flushed_ = 0;  // counts of flushes
  bool stop_ = false;
  std::exception_ptr error_;

  uint64_t fingerprint_;                  // the thread's, while rows are committed
  std::unique_ptr<ResultWriter> writer_;  // the thread's, until it has ended
  std::thread thread_;
};

}  // namespace couplet::results
