// SPDX-License-Identifier: Apache-2.0
// How well grouping finds what is one bug: measured on findings of real hunts, labelled by hand
// (labelled/). Of pairs of findings: *precision* is how many of those brought together are of one
// label, *recall* how many of one label were brought together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/records/triage/grouping.h"
#include "harness/records/triage/signature.h"

namespace esox {
namespace {

struct Labelled {
  std::string label;
  std::string where;
  Signature signature;
};

std::vector<Labelled> read_labelled(const std::string& name) {
  std::ifstream file(std::string(ESOX_LABELLED) + "/" + name);
  std::vector<Labelled> all;
  const nlohmann::json whole = nlohmann::json::parse(file);
  for (const nlohmann::json& one : whole.at("findings")) {
    all.push_back({one.at("label"),
                   one.at("where"),
                   {one.at("signature"), one.at("plain"), one.at("critical")}});
  }
  return all;
}

struct Measured {
  size_t together = 0;  // pairs that were brought together
  size_t right = 0;     // of them, of one label
  size_t of_one = 0;    // pairs of one label
  size_t findings = 0;  // what is left of all
  size_t labels = 0;
  std::string wrong;  // a pair that was brought together wrongly

  double precision() const { return together == 0 ? 1 : share(right, together); }
  double recall() const { return of_one == 0 ? 1 : share(right, of_one); }
  static double share(size_t some, size_t all) {
    return static_cast<double>(some) / static_cast<double>(all);
  }
};

Measured measure(const std::vector<Labelled>& all) {
  std::vector<GroupMember> members;
  for (size_t i = 0; i < all.size(); ++i) {
    members.push_back({"", "", {"", std::to_string(i)}, family_keys(all[i].signature)});
  }
  const Grouping grouping = group(members, {});
  std::vector<size_t> family(all.size());
  for (size_t g = 0; g < grouping.groups.size(); ++g) {
    for (const size_t place : grouping.groups[g].members) {
      family[std::stoul(grouping.order[place].key.id)] = g;
    }
  }
  Measured measured;
  std::map<std::string, size_t> labels;
  measured.findings = grouping.groups.size();
  for (size_t i = 0; i < all.size(); ++i) {
    ++labels[all[i].label];
    for (size_t j = 0; j < i; ++j) {
      const bool one = all[i].label == all[j].label;
      const bool together = family[i] == family[j];
      measured.of_one += one ? 1 : 0;
      measured.together += together ? 1 : 0;
      measured.right += one && together ? 1 : 0;
      if (together && !one) measured.wrong = all[i].where + " and " + all[j].where;
    }
  }
  measured.labels = labels.size();
  return measured;
}

void expect_at_least(const std::string& name, double precision, double recall) {
  const Measured measured = measure(read_labelled(name));
  EXPECT_GT(measured.of_one, 10U) << "there is too little to measure by";
  EXPECT_GE(measured.precision(), precision) << name << ": " << measured.wrong;
  EXPECT_GE(measured.recall(), recall) << name;
  std::cout << name << ": precision " << measured.precision() << ", recall " << measured.recall()
            << ", " << measured.labels << " labels, " << measured.findings << " findings\n";
}

TEST(LabelledFindings, OfMariaDBAreGroupedByCause) {
  expect_at_least("mariadb.json", 1.0, 0.82);
}

TEST(LabelledFindings, OfMemcachedAreGroupedByCause) {
  expect_at_least("memcached.json", 1.0, 0.85);
}

}  // namespace
}  // namespace esox
