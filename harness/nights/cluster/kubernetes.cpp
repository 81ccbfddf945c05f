// SPDX-License-Identifier: Apache-2.0
// See kubernetes.h.
#include "harness/nights/cluster/kubernetes.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "harness/nights/cluster/shell_words.h"

namespace esox {
namespace {

constexpr size_t kLongestLabel = 40;  // of 63: names of pods add to it
constexpr int kTriesPerShard = 3;     // beside the first
constexpr int kGrace_s = 60;          // from the wish to end to the end

// In the background, so that the shell hears that the pod is to end and tells esox. A pod that was
// told to end has failed, though esox ended well: it is begun again, and goes on where it was.
std::string shard_script(const KubernetesPlan& plan) {
  return fmt::format(
      R"sh(stopped=no
esox hunt --config /hunt/hunt.yaml --seed {} --campaign {} \
  --shard "$((JOB_COMPLETION_INDEX + 1))/{}" --out "/data/shards/$((JOB_COMPLETION_INDEX + 1))" &
hunt=$!
trap 'stopped=yes; kill -TERM "$hunt"' TERM INT
wait "$hunt"
status=$?
if [ "$stopped" = yes ]; then wait "$hunt"; exit 143; fi
# 1: something was found.
[ "$status" -le 1 ]
)sh",
      plan.seed, shell_word(plan.run), plan.shards);
}

class Manifest {
 public:
  explicit Manifest(const KubernetesPlan& plan)
      : plan_(plan), name_("esox-" + label_of(plan.name) + "-" + label_of(plan.run)) {
    yaml_.SetIndent(2);
  }

  std::string text() {
    const std::string head = fmt::format(
        "# Written by esox kubernetes: {} as {} shard{}, and their merge.\n"
        "#   kubectl create -f THIS\n"
        "#   kubectl wait --for=condition=complete --timeout=-1s job/{}\n"
        "#   kubectl patch job {}-merge -p '{{\"spec\":{{\"suspend\":false}}}}'\n",
        label_of(plan_.name), plan_.shards, plan_.shards == 1 ? "" : "s", name_, name_);
    config_map();
    shards();
    merge();
    return head + yaml_.c_str() + "\n";
  }

 private:
  template <class T>
  void put(const char* key, const T& value) {
    yaml_ << YAML::Key << key << YAML::Value << value;
  }
  // Of strings that another reader could take for something else.
  void put_text(const char* key, const std::string& value) {
    yaml_ << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << value;
  }
  void put_block(const char* key, const std::string& value) {
    yaml_ << YAML::Key << key << YAML::Value << YAML::Literal << value;
  }
  void begin(const char* key) { yaml_ << YAML::Key << key << YAML::Value << YAML::BeginMap; }
  void end() { yaml_ << YAML::EndMap; }

  void begin_document(const char* version, const char* kind, const std::string& name) {
    yaml_ << YAML::BeginDoc << YAML::BeginMap;
    put("apiVersion", version);
    put("kind", kind);
    begin("metadata");
    put_text("name", name);
    begin("labels");
    put("app.kubernetes.io/name", "esox");
    put_text("esox/run", label_of(plan_.run));
    end();
    end();
  }

  void config_map() {
    begin_document("v1", "ConfigMap", name_);
    begin("data");
    put_block("hunt.yaml", plan_.hunt_file);
    end();
    end();
  }

  void shards() {
    begin_document("batch/v1", "Job", name_);
    begin("spec");
    put("completionMode", "Indexed");
    put("completions", plan_.shards);
    put("parallelism", plan_.parallel == 0 ? plan_.shards : std::min(plan_.parallel, plan_.shards));
    put("backoffLimitPerIndex", kTriesPerShard);
    failure_policy();
    pod("shard", shard_script(plan_), plan_.jobs, plan_.minutes, plan_.privileged);
    end();
    end();
  }

  // A pod that its node loses is not the shard's fault.
  void failure_policy() {
    begin("podFailurePolicy");
    yaml_ << YAML::Key << "rules" << YAML::Value << YAML::BeginSeq << YAML::BeginMap;
    put("action", "Ignore");
    yaml_ << YAML::Key << "onPodConditions" << YAML::Value << YAML::BeginSeq << YAML::BeginMap;
    put("type", "DisruptionTarget");
    put_text("status", "True");
    yaml_ << YAML::EndMap << YAML::EndSeq << YAML::EndMap << YAML::EndSeq;
    end();
  }

  void merge() {
    begin_document("batch/v1", "Job", name_ + "-merge");
    begin("spec");
    put("suspend", true);
    put("backoffLimit", kTriesPerShard);
    pod("merge", "cd /data\nexec esox merge /data shards/*/\n", 1, 0, false);
    end();
    end();
  }

  void pod(const char* container, const std::string& script, unsigned cores, uint64_t minutes,
           bool privileged) {
    begin("template");
    begin("spec");
    put("restartPolicy", "Never");
    put("terminationGracePeriodSeconds", kGrace_s);
    if (minutes > 0) put("activeDeadlineSeconds", minutes * 60);
    yaml_ << YAML::Key << "containers" << YAML::Value << YAML::BeginSeq << YAML::BeginMap;
    put("name", container);
    put_text("image", plan_.image);
    yaml_ << YAML::Key << "command" << YAML::Value << YAML::Flow << YAML::BeginSeq << "/bin/sh"
          << "-c" << YAML::EndSeq;
    yaml_ << YAML::Key << "args" << YAML::Value << YAML::BeginSeq << YAML::Literal << script
          << YAML::EndSeq;
    begin("resources");
    begin("requests");
    put_text("cpu", std::to_string(cores));
    end();
    end();
    if (privileged) {
      // For servers that are forked rather than restarted (esox doctor).
      begin("securityContext");
      put("privileged", true);
      end();
    }
    mounts();
    yaml_ << YAML::EndMap << YAML::EndSeq;
    volumes();
    end();
    end();
  }

  void mounts() {
    yaml_ << YAML::Key << "volumeMounts" << YAML::Value << YAML::BeginSeq;
    for (const auto& [name, path] : {std::pair("hunt", "/hunt"), std::pair("data", "/data")}) {
      yaml_ << YAML::BeginMap;
      put("name", name);
      put("mountPath", path);
      yaml_ << YAML::EndMap;
    }
    yaml_ << YAML::EndSeq;
  }

  void volumes() {
    yaml_ << YAML::Key << "volumes" << YAML::Value << YAML::BeginSeq << YAML::BeginMap;
    put("name", "hunt");
    begin("configMap");
    put_text("name", name_);
    end();
    yaml_ << YAML::EndMap << YAML::BeginMap;
    put("name", "data");
    begin("persistentVolumeClaim");
    put_text("claimName", plan_.claim);
    end();
    yaml_ << YAML::EndMap << YAML::EndSeq;
  }

  const KubernetesPlan& plan_;
  const std::string name_;
  YAML::Emitter yaml_;
};

}  // namespace

std::string label_of(const std::string& name) {
  std::string label;
  for (const char c : name) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool kept = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    if (kept) {
      label += low;
    } else if (!label.empty() && label.back() != '-') {
      label += '-';
    }
  }
  label.resize(std::min(label.size(), kLongestLabel));
  while (label.ends_with('-')) label.pop_back();
  return label.empty() ? "hunt" : label;
}

std::string kubernetes_manifest(const KubernetesPlan& plan) {
  return Manifest(plan).text();
}

}  // namespace esox
