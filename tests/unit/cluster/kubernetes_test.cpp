// SPDX-License-Identifier: Apache-2.0
// Whether the manifest keeps to Kubernetes' schema is asked by scripts/check-kubernetes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "harness/nights/cluster/cluster_night.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ClusterNight night() {
  ClusterNight night;
  night.file.name = "Nightly (MariaDB)";
  night.file.text = "  # {{x}}\nname: x\n\nservers:\n  - name: 'it''s'\n# ümlaut: \"quoted\"\n\n";
  night.file.jobs = 2;
  night.file.budget.time = std::chrono::minutes(59);
  night.file.limits.grace = std::chrono::seconds(30);
  night.run = "2030-01-01T02-00-00Z";
  night.shards = 20;
  night.seed = 7;
  night.image = "registry:5000/esox:1";
  night.claim = "esox-data";
  return night;
}

std::vector<YAML::Node> manifest(const ClusterNight& night) {
  return YAML::LoadAll(cluster_text(kKubernetesManifest, night));
}

TEST(Kubernetes, PrintsAnIndexedJobAndASuspendedMerge) {
  const auto documents = manifest(night());
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[0]["kind"].as<std::string>(), "ConfigMap");
  EXPECT_EQ(documents[0]["data"]["hunt.yaml"].as<std::string>(), night().file.text);
  const YAML::Node job = documents[1]["spec"];
  EXPECT_EQ(job["completionMode"].as<std::string>(), "Indexed");
  EXPECT_EQ(job["completions"].as<int>(), 20);
  EXPECT_EQ(job["parallelism"].as<int>(), 20);
  const YAML::Node pod = job["template"]["spec"];
  EXPECT_EQ(pod["activeDeadlineSeconds"].as<int>(), 5400);
  EXPECT_EQ(pod["containers"][0]["image"].as<std::string>(), "registry:5000/esox:1");
  EXPECT_THAT(pod["containers"][0]["args"][0].as<std::string>(),
              AllOf(HasSubstr("--shard \"$((JOB_COMPLETION_INDEX + 1))/20\""),
                    HasSubstr("--campaign 2030-01-01T02-00-00Z"), HasSubstr("--seed 7")));
  EXPECT_TRUE(documents[2]["spec"]["suspend"].as<bool>());
  const YAML::Node merge = documents[2]["spec"]["template"]["spec"];
  EXPECT_EQ(merge["containers"][0]["args"][0].as<std::string>(),
            "cd /data\nexec esox merge /data shards/*/\n");
  EXPECT_FALSE(merge["containers"][0]["securityContext"].IsDefined());
  EXPECT_FALSE(merge["activeDeadlineSeconds"].IsDefined());
  EXPECT_EQ(documents[2]["metadata"]["name"].as<std::string>(),
            documents[1]["metadata"]["name"].as<std::string>() + "-merge");
}

TEST(Kubernetes, KeepsToWhatWasAsked) {
  ClusterNight other = night();
  other.file.budget.time.reset();
  other.unprivileged = true;
  const YAML::Node pod = manifest(other)[1]["spec"]["template"]["spec"];
  EXPECT_FALSE(pod["activeDeadlineSeconds"].IsDefined());
  EXPECT_FALSE(pod["containers"][0]["securityContext"].IsDefined());
  EXPECT_TRUE(
      manifest(
          night())[1]["spec"]["template"]["spec"]["containers"][0]["securityContext"]["privileged"]
          .as<bool>());
}

TEST(Kubernetes, NamesAreLabels) {
  EXPECT_EQ(label_of("Nightly (MariaDB)"), "nightly-mariadb");
  EXPECT_EQ(label_of("--"), "hunt");
  EXPECT_EQ(label_of("ä"), "hunt");
  EXPECT_EQ(label_of(std::string(300, 'a')).size(), 40u);
}

}  // namespace
}  // namespace esox
