// SPDX-License-Identifier: Apache-2.0
// The contract between the harness and the snapshot agent inside a parked server
// (snapshot/agent.h).
//
// The two talk over a pair of connected sockets (SOCK_SEQPACKET: one message per packet); the
// server's end is the descriptor named by kSnapshotVariable. Nothing is ever read from it until
// kParkSignal arrives: that is what makes the server's main thread listen.
//
//   harness --kParkSignal--> server             main thread enters the agent
//   kPark            -> reply                   all threads are parked: the process is a template
//   kDescriptor ...  no reply                   what a child must do with one descriptor
//   kNest            -> reply                   where its children live: files, processes
//   kFork (sockets)  -> reply (pidfd)           one child, which goes on where the template
//   stopped;
//                                               with a channel of its own, it says there when it
//                                               does
//   kReap            -> reply (status)          how the last child in a nest ended
//   kEndChild        -> reply                   that child is killed, and waited for
//   --kParkSignal--> child; over its own channel:
//   kRewind          -> reply                   is as at its birth, parked; or cannot, and ends
//   kLiveAgain (sockets) no reply               goes on as if forked just now
//   kResume          -> reply                   the template itself goes on, and is none any more
//   (end of file)                               the template ends
//
// All messages are plain data of fixed layout, of one build (kProtocolVersion guards the control
// block that both map). Descriptors travel as SCM_RIGHTS.
#pragma once

#include <cstddef>
#include <cstdint>

namespace esox {

// Names the number of the server's end of the channel. Without it there is no agent.
inline constexpr const char* kSnapshotVariable = "ESOX_SNAPSHOT";
// Far above what a server opens in its first minutes, below the usual limit of 1024.
inline constexpr int kSnapshotFd = 700;
inline constexpr int kInheritedControlFd = 701;  // the control block of a server in namespaces
// For rewinding (snapshot/rewind.h): the memory of a template, the page tables of its child, the
// file that memory was moved into (snapshot/memory.h), what watches pages (snapshot/page_watch.h),
// and from kFirstKeptFd on what the child keeps of its template's descriptors.
inline constexpr int kTemplateMemoryFd = 702;
inline constexpr int kOwnPagesFd = 703;
inline constexpr int kMovedMemoryFd = 704;
inline constexpr int kWatchFd = 705;
inline constexpr int kFirstKeptFd = 706;

// Glibc keeps 32 and 33 for itself; servers that use real-time signals begin at the lowest ones.
inline constexpr int kParkSignal = 63;

// Limits. Reaching one refuses the snapshot, in words.
inline constexpr uint32_t kMaxParkedThreads = 512;
inline constexpr uint32_t kMaxDescriptorImages = 512;
inline constexpr uint32_t kMaxSnapshotPath = 256;
inline constexpr uint32_t kMaxPassedSockets = 16;  // of one fork
inline constexpr uint32_t kMaxNests = 8;           // of one template
inline constexpr uint32_t kMaxSnapshotText = 200;

enum class SnapshotCommand : uint32_t {
  kPark = 1,
  kDescriptor = 2,
  kNest = 3,
  kFork = 4,
  kResume = 5,
  kReap = 6,
  kEndChild = 7,
  kRewind = 8,
  kLiveAgain = 9,
};

// What a child does with a descriptor that it inherited.
enum class DescriptorKind : uint32_t {
  kFile = 1,         // opens `path` anew: its own position and locks, the file of its own nest
  kUnlinked = 2,     // a new file without a name in the folder `path`, with the same contents
  kConnection = 3,   // takes the socket passed as number `value[0]`
  kListener = 4,     // a new socket listening at `path`
  kEvent = 5,        // eventfd with count value[0]
  kTimer = 6,        // timerfd: value[0] clock, [1] settime flags, [2] ns left, [3] interval in ns
  kEpoll = 7,        // an empty epoll; its members follow
  kEpollMember = 8,  // of epoll value[0]: events value[1], data value[2]
  kPipe = 9,         // `fd` reads, value[0] writes; contents are carried over
  kDuplicate = 10,   // of descriptor value[0], once that has been made
  kClose = 11,
};

enum class FileLock : uint32_t { kNone = 0, kRead = 1, kWrite = 2 };

struct DescriptorImage {
  DescriptorKind kind;
  int32_t fd;
  uint32_t flags;  // open flags, O_CLOEXEC among them
  FileLock lock;   // by fcntl, from lock_start to lock_end (-1: end of file)
  int64_t offset;
  int64_t lock_start;
  int64_t lock_end;
  uint64_t value[4];
  char path[kMaxSnapshotPath];
};

struct ParkRequest {
  // The main thread's own system call when the signal was sent, as /proc/PID/syscall told; a thread
  // cannot see its own. number < 0: it was running.
  int64_t syscall_number;
  uint64_t syscall_arguments[6];
  uint64_t syscall_pc;
  uint64_t move_memory;  // 1: so that forks need not copy it (snapshot/memory.h)
};

struct NestRequest {
  uint32_t nest;                  // number, below kMaxNests
  uint32_t in_place;              // 1: files are left alone; `from`, `onto` and `folder` unused
  char from[kMaxSnapshotPath];    // the folder with the files of this nest ...
  char onto[kMaxSnapshotPath];    // ... to be seen at this one
  char folder[kMaxSnapshotPath];  // the working folder
};

struct ForkRequest {
  uint32_t nest;
  uint32_t sockets;      // passed with this message; the last is a channel if ...
  uint32_t has_channel;  // ... this is 1: the child can become a template, or be rewound
  uint32_t rewindable;   // 1: it shall be; it says nothing when it comes to life
  // Waits with a deadline get at least so long from the fork on: what a server does by the clock in
  // the background shall not run into a short execution.
  int64_t quiet_ns;
  int32_t fail_at;  // fault injection for tests: a SnapshotStep that fails; 0 none
};

struct SnapshotRequest {
  SnapshotCommand command;
  uint32_t reserved;
  union {
    ParkRequest park;
    DescriptorImage descriptor;
    NestRequest nest;
    ForkRequest fork;   // kFork, kLiveAgain
    uint32_t child_of;  // kReap, kEndChild: number of the nest
  };
};

// Where something failed.
enum class SnapshotStep : uint32_t {
  kNone = 0,
  kListThreads = 1,
  kParkThread = 2,
  kMainThread = 3,
  kTables = 4,
  kNestFiles = 5,
  kNestProcesses = 6,
  kReceive = 7,
  kForkProcess = 8,
  kDescriptors = 9,
  kThreads = 10,
  kTimers = 11,
  kMemory = 12,
};

struct SnapshotReply {
  uint32_t ok;
  SnapshotStep step;  // of a failure
  int32_t error;      // errno
  uint32_t threads;   // parked
  uint32_t retry;     // 1: asking again may help
  uint32_t from_child;
  int32_t status;               // kReap: as waitpid tells it
  char text[kMaxSnapshotText];  // of a failure, one line
};

// When the last fork passed what, CLOCK_MONOTONIC; part of the control block.
struct SnapshotTimes {
  int64_t asked_ns;
  int64_t forked_ns;
  int64_t descriptors_ns;
  int64_t resumed_ns;
};

}  // namespace esox
