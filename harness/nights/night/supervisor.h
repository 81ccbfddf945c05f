// SPDX-License-Identifier: Apache-2.0
// One night of a hunt file, from its beginning or from where it was ended, to its end in time.
//
// Stage after stage is hunted, each in a process of its own (stage_process.h): whatever ends that -
// a fault, a hang, kill -9 - it is begun again where it was, as long as that helps and there is
// time. Each stage may take its share of the time that is left, so that what one does not need goes
// to those after it; what is left at the end goes to those that had not come to theirs.
//
// Whatever ends the night itself, the same command goes on with it: what was done is in nights.db,
// and each hunt's in its own hunt.db. A full disk stops no night: old nights are pruned, then it
// waits; what it could not keep it says (NightReport::missing).
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/nights/hunt_file/hunt_file.h"
#include "harness/nights/night/night_clock.h"
#include "harness/nights/night/night_lock.h"
#include "harness/nights/night/night_log.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"
#include "harness/nights/night/stages.h"

namespace esox {

struct StageEnd;
struct SupervisedStage;
enum class StageCut;

struct NightSpec {
  HuntFile file;
  std::filesystem::path esox;  // the command
  std::string esox_version;
  std::string shard;        // "3/20"; empty: all of it
  bool begin_anew = false;  // an unfinished night is not gone on with
};

class Supervisor {
 public:
  using Say = std::function<void(const std::string&)>;

  // Takes the lock. Throws OutError, DatabaseError.
  Supervisor(NightSpec spec, const std::atomic<bool>& stop, Say say);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Once. Throws DatabaseError, OutError before the first stage only.
  const NightReport& run();

  const std::filesystem::path& folder() const { return folder_; }  // of the night
  uint64_t number() const { return night_.number; }
  bool finished() const { return night_.state == NightState::kEnded; }

  // What is to be done with the night's beginning and end beside the stages (recheck.h,
  // night_summary.h). `recheck` may take so many seconds.
  void set_recheck(std::function<void(double budget_s)> recheck) { recheck_ = std::move(recheck); }

  // ---- for these
  NightReport& report() { return report_; }
  const std::vector<Stage>& stages() const { return stages_; }
  NightLog& log() { return *log_; }
  const NightSpec& spec() const { return spec_; }

 private:
  void open_night();
  bool worth_going_on(const StoredNight& last) const;
  void begin_night();
  void give_up(StoredNight last, const std::string& why);
  void tell_head(bool resumed);
  StageReport empty_report(const Stage& stage) const;

  void recheck();
  void hunt_stages();
  void hunt_leftovers();
  static constexpr double kNoTime = -1;
  // `time_s` 0: as long as it takes.
  void hunt_stage(size_t index, double time_s);
  void prepare(SupervisedStage& going);
  void keep_going(SupervisedStage& going);
  StageEnd sit(SupervisedStage& going);
  // Whether it is to sit again.
  bool after(SupervisedStage& going, const StageEnd& end);
  bool after_memory(SupervisedStage& going);
  bool after_failure(SupervisedStage& going, const StageEnd& end, bool begun);
  void fail(SupervisedStage& going, const std::string& why);
  void account(SupervisedStage& going, bool its_own_time);
  std::filesystem::path stage_folder(const NightStage& stage) const;
  std::filesystem::path learn_from(const Stage& stage);
  void choose_folder(SupervisedStage& going);
  void pause(double pause_s, double end_s);
  bool wait_for_space(double end_s);
  void record(const std::filesystem::path& hunt);
  void record_again();
  void leave_out(size_t index, const std::string& why);

  StageCut look();
  bool make_room();
  void save();
  bool keep(const std::string& what, const std::function<void()>& write);
  double left_s();
  double share_left(size_t from) const;
  void finish();
  void prune();

  NightSpec spec_;
  const std::atomic<bool>& stop_;
  Say say_;
  NightLock lock_;
  NightStore store_;
  StoredNight night_;
  std::filesystem::path folder_;
  NightClock clock_;
  std::unique_ptr<NightLog> log_;
  std::vector<Stage> stages_;
  std::vector<NightStage> states_;  // as stages_
  NightReport report_;
  std::function<void(double)> recheck_;
  std::map<std::filesystem::path, std::string> unrecorded_;  // hunts, and why
  std::string unkept_;                                       // what could not be written last time
  double saved_s_ = 0;
  double waited_s_ = 0;     // for space
  bool leftovers_ = false;  // stages have a second turn
};

}  // namespace esox
