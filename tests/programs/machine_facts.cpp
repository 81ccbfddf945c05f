// SPDX-License-Identifier: Apache-2.0
// See machine_facts.h. Values that say how two answers agree are "same" or "other".
#include "tests/programs/machine_facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <memory>
#include <thread>

extern char** environ;
extern "C" {
uint32_t arc4random() noexcept __attribute__((weak));  // glibc 2.36
void arc4random_buf(void*, size_t) noexcept __attribute__((weak));
uint32_t arc4random_uniform(uint32_t) noexcept __attribute__((weak));
}

namespace machine {
namespace {

constexpr const char* kOld = "machine.old";
constexpr const char* kLink = "machine.link";
constexpr const char* kNew = "machine.new";
constexpr const char* kMoved = "machine.moved";
constexpr size_t kRandomBytes = 8;

Facts g_facts;

void add(const std::string& name, const std::string& value) {
  g_facts.emplace_back(name, value);
}
void add(const std::string& name, int64_t value) {
  add(name, std::to_string(value));
}
void add_unsigned(const std::string& name, uint64_t value) {
  add(name, std::to_string(value));
}
void add_agreement(const std::string& name, bool agree) {
  add(name, agree ? "same" : "other");
}
void add_time(const std::string& name, int64_t seconds, int64_t nanoseconds) {
  char text[64];
  snprintf(text, sizeof text, "%" PRId64 ".%09" PRId64, seconds, nanoseconds);
  add(name, text);
}
void add_address(const std::string& name, const void* at) {
  char text[32];
  snprintf(text, sizeof text, "%p", at);
  add(name, text);
}
void add_bytes(const std::string& name, const void* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    char two[3];
    snprintf(two, sizeof two, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    text += two;
  }
  add(name, text);
}

void write_file(const char* path, size_t bytes) {
  const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  const std::string content(bytes, 'x');
  if (write(fd, content.data(), bytes) != static_cast<ssize_t>(bytes)) perror(path);
  close(fd);
}

// --- Files -------------------------------------------------------------------------------------

struct stat status_of(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) perror(path);
  return status;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void add_status(const std::string& name, const struct stat& status) {
  add_unsigned(name + ".dev", status.st_dev);
  add_unsigned(name + ".ino", status.st_ino);
  add_unsigned(name + ".nlink", status.st_nlink);
  add(name + ".size", status.st_size);
  add(name + ".blocks", status.st_blocks);
  add(name + ".blksize", status.st_blksize);
  add_time(name + ".atime", status.st_atim.tv_sec, status.st_atim.tv_nsec);
  add_time(name + ".mtime", status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  add_time(name + ".ctime", status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

void add_extended_status(const char* path) {
  struct statx status {};
  if (statx(AT_FDCWD, path, 0, STATX_ALL | STATX_MNT_ID, &status) != 0) perror(path);
  const struct stat plain = status_of(path);
  add_agreement("statx.dev", makedev(status.stx_dev_major, status.stx_dev_minor) == plain.st_dev);
  add_agreement("statx.ino", status.stx_ino == plain.st_ino);
  add_unsigned("statx.mask", status.stx_mask);
  add_unsigned("statx.nlink", status.stx_nlink);
  add_unsigned("statx.blocks", status.stx_blocks);
  add_unsigned("statx.mnt_id", status.stx_mnt_id);
  add_unsigned("statx.attributes", status.stx_attributes);
  add_time("statx.btime", status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
  add_time("statx.ctime", status.stx_ctime.tv_sec, status.stx_ctime.tv_nsec);
}

void add_folder() {
  DIR* folder = opendir(".");
  std::string names;
  bool numbers_agree = true;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.rfind("machine.", 0) != 0) continue;
    names += name + " ";
    if (entry->d_ino != status_of(entry->d_name).st_ino) numbers_agree = false;
  }
  closedir(folder);
  add("folder.names", names);
  add_agreement("folder.ino", numbers_agree);
}

template <class Status>
void add_space(const std::string& name, const Status& status) {
  add_unsigned(name + ".bsize", static_cast<uint64_t>(status.f_bsize));
  add_unsigned(name + ".blocks", status.f_blocks);
  add_unsigned(name + ".bfree", status.f_bfree);
  add_unsigned(name + ".bavail", status.f_bavail);
  add_unsigned(name + ".files", status.f_files);
  add_unsigned(name + ".ffree", status.f_ffree);
}

void add_free_space(int fd) {
  struct statfs of_path {
  }, of_fd{};
  statfs(".", &of_path);
  fstatfs(fd, &of_fd);
  add_space("statfs", of_path);
  add("statfs.type", of_path.f_type);
  add("statfs.flags", of_path.f_flags);
  add_bytes("statfs.fsid", &of_path.f_fsid, sizeof of_path.f_fsid);
  add_agreement("fstatfs", memcmp(&of_path, &of_fd, sizeof of_fd) == 0);
  struct statvfs of_vfs {
  }, of_open{};
  statvfs(".", &of_vfs);
  fstatvfs(fd, &of_open);
  add_space("statvfs", of_vfs);
  add_unsigned("statvfs.flag", of_vfs.f_flag);
  add_unsigned("statvfs.fsid", of_vfs.f_fsid);
  add_agreement("fstatvfs", of_vfs.f_bavail == of_open.f_bavail && of_vfs.f_fsid == of_open.f_fsid);
}

void add_files() {
  write_file(kNew, 10'000);
  const struct stat old_file = status_of(kOld);
  const struct stat new_file = status_of(kNew);
  add_status("old", old_file);
  add_status("new", new_file);
  if (link(kNew, kLink) != 0) perror(kLink);
  add_agreement("link", same_file(new_file, status_of(kLink)));
  add_unsigned("link.nlink", status_of(kNew).st_nlink);
  unlink(kLink);
  add_agreement("new-and-old", same_file(old_file, new_file));
  const int fd = open(kNew, O_RDONLY);
  struct stat opened {};
  fstat(fd, &opened);
  add_agreement("fstat", same_file(new_file, opened));
  add_extended_status(kNew);
  add_folder();
  add_free_space(fd);
  rename(kNew, kMoved);
  add_agreement("moved", same_file(new_file, status_of(kMoved)));
  write_file(kNew, 1);
  add_agreement("moved-and-new", same_file(status_of(kNew), status_of(kMoved)));
  fstat(fd, &opened);
  add_agreement("moved.fstat", same_file(new_file, opened));
  unlink(kMoved);
  unlink(kNew);
  close(fd);
  write_file(kNew, 1);
  add_status("again", status_of(kNew));
  unlink(kNew);
  struct stat folder = status_of(".");
  folder.st_atim = folder.st_mtim = folder.st_ctim = {};  // of what its server's start does there
  add_status("folder", folder);
}

// --- Processes, addresses, descriptors ---------------------------------------------------------

void add_processes() {
  add("getpid", getpid());
  add("getppid", getppid());
  add("gettid", gettid());
  add_agreement("syscall-gettid", syscall(SYS_gettid) == gettid());
  add("getpgrp", getpgrp());
  add("getsid", getsid(0));
  add("getuid", getuid());
  add("geteuid", geteuid());
  add("getgid", getgid());
}

void add_addresses() {
  int on_stack = 0;
  add_address("address.stack", &on_stack);
  add_address("address.code", reinterpret_cast<void*>(&make_files));
  add_address("address.library", reinterpret_cast<void*>(&getpid));
  add_address("address.thread", reinterpret_cast<void*>(pthread_self()));
  const std::unique_ptr<char[]> small(new char[100]);
  add_address("address.small", small.get());
  const std::unique_ptr<char[]> large(new char[1 << 20]);
  add_address("address.large", large.get());
}

void add_descriptors() {
  const int file = open(kOld, O_RDONLY);
  const int event = eventfd(0, EFD_CLOEXEC);
  int ends[2] = {-1, -1};
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  add("descriptor.file", file);
  add("descriptor.event", event);
  add("descriptor.socket", ends[0]);
  sockaddr_un name{};
  socklen_t size = sizeof name;
  getsockname(ends[0], reinterpret_cast<sockaddr*>(&name), &size);
  add("getsockname.size", size);
  ucred peer{};
  size = sizeof peer;
  getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &size);
  add_agreement("peer.pid", peer.pid == getpid());
  struct stat status {};
  fstat(ends[0], &status);
  add_unsigned("socket.ino", status.st_ino);
  for (const int fd : {file, event, ends[0], ends[1]}) close(fd);
}

// --- Load, clocks, processors ------------------------------------------------------------------

void add_load() {
  double load[3] = {};
  add("getloadavg", getloadavg(load, 3));
  for (const double one : load) add("load", std::to_string(one));
  struct sysinfo info {};
  sysinfo(&info);
  add_bytes("sysinfo", &info, sizeof info);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  add_bytes("getrusage.process", &usage, sizeof usage);
  getrusage(RUSAGE_THREAD, &usage);
  add_bytes("getrusage.thread", &usage, sizeof usage);
  tms of_process{};
  add("times", times(&of_process));
  add_bytes("times.process", &of_process, sizeof of_process);
  add("clock", clock());
}

void add_clocks() {
  constexpr std::pair<const char*, clockid_t> kClocks[] = {
      {"realtime", CLOCK_REALTIME},
      {"realtime-coarse", CLOCK_REALTIME_COARSE},
      {"realtime-alarm", CLOCK_REALTIME_ALARM},
      {"tai", CLOCK_TAI},
      {"process", CLOCK_PROCESS_CPUTIME_ID},
      {"thread", CLOCK_THREAD_CPUTIME_ID},
  };
  timespec now{};
  for (const auto& [name, id] : kClocks) {
    clock_gettime(id, &now);
    add_time(std::string("clock.") + name, now.tv_sec, now.tv_nsec);
  }
  clockid_t of_thread{};
  pthread_getcpuclockid(pthread_self(), &of_thread);
  clock_gettime(of_thread, &now);
  add_time("clock.of-thread", now.tv_sec, now.tv_nsec);
  timespec raw_time{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_MONOTONIC, &raw_time);
  add_agreement("clock.monotonic-stands",
                now.tv_sec == raw_time.tv_sec && now.tv_nsec == raw_time.tv_nsec);
  add("time", time(nullptr));
  timeval of_day{};
  gettimeofday(&of_day, nullptr);
  add_time("gettimeofday", of_day.tv_sec, of_day.tv_usec * 1000);
  timespec_get(&now, TIME_UTC);
  add_time("timespec_get", now.tv_sec, now.tv_nsec);
}

void add_processors() {
  add("sched_getcpu", sched_getcpu());
  unsigned cpu = 0, node = 0;
  getcpu(&cpu, &node);
  add("getcpu", cpu);
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  add("sched_getaffinity", CPU_COUNT(&set));
  CPU_ZERO(&set);
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  add("pthread_getaffinity_np", CPU_COUNT(&set));
  add("get_nprocs", get_nprocs());
  add("get_nprocs_conf", get_nprocs_conf());
  add("hardware_concurrency", std::thread::hardware_concurrency());
  add("sysconf.nprocessors", sysconf(_SC_NPROCESSORS_ONLN));
  add("sysconf.phys-pages", sysconf(_SC_PHYS_PAGES));
  add("sysconf.avphys-pages", sysconf(_SC_AVPHYS_PAGES));
  add("get_phys_pages", get_phys_pages());
  add("get_avphys_pages", get_avphys_pages());
}

// --- Chance ------------------------------------------------------------------------------------

void add_random() {
  unsigned char bytes[kRandomBytes] = {};
  const auto told = [&](const char* name, bool there) {
    add_bytes(name, bytes, there ? sizeof bytes : 0);
    memset(bytes, 0, sizeof bytes);
  };
  told("getrandom", getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
  told("getentropy", getentropy(bytes, sizeof bytes) == 0);
  told("syscall-getrandom", syscall(SYS_getrandom, bytes, sizeof bytes, 0) == sizeof bytes);
  for (const char* device : {"/dev/urandom", "/dev/random"}) {
    const int fd = open(device, O_RDONLY);
    told(device, read(fd, bytes, sizeof bytes) == sizeof bytes);
    close(fd);
  }
  FILE* stream = fopen("/dev/urandom", "r");
  told("urandom-stream", fread(bytes, 1, sizeof bytes, stream) == sizeof bytes);
  fclose(stream);
  if (arc4random == nullptr) return;
  add("arc4random", arc4random());
  arc4random_buf(bytes, sizeof bytes);
  told("arc4random_buf", true);
  add("arc4random_uniform", arc4random_uniform(1000));
}

// --- What the program was given ----------------------------------------------------------------

void add_surroundings() {
  for (char** one = environ; *one != nullptr; ++one) add("environment", *one);
  utsname system{};
  uname(&system);
  add("uname", std::string(system.sysname) + " " + system.nodename + " " + system.release + " " +
                   system.version + " " + system.machine);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  add("gethostname", host);
  add("locale", setlocale(LC_ALL, nullptr));
  add("strerror", strerror(ENOENT));
  const mode_t mask = umask(0);
  umask(mask);
  add("umask", mask);
  for (int limit = 0; limit < RLIMIT_NLIMITS; ++limit) {
    rlimit64 value{};
    getrlimit64(static_cast<__rlimit_resource_t>(limit), &value);
    add_unsigned("limit." + std::to_string(limit), value.rlim_cur);
  }
  add_unsigned("page", getauxval(AT_PAGESZ));
  add_unsigned("hwcap", getauxval(AT_HWCAP2));
}

}  // namespace

void make_files() {
  write_file(kOld, 5'000);
}

Facts all_facts() {
  g_facts.clear();
  add_files();
  add_processes();
  add_addresses();
  add_descriptors();
  add_load();
  add_clocks();
  add_processors();
  add_random();
  add_surroundings();
  return g_facts;
}

}  // namespace machine
