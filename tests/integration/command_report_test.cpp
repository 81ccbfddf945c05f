// SPDX-License-Identifier: Apache-2.0
// A real hunt's reports, as a user makes them, and its page in a real browser.
#include <regex>

#include "analysis/finding.h"
#include "tests/integration/browser.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Reporting : public CommandTest {
 protected:
  // The folder of a hunt with a finding.
  fs::path hunted(const std::vector<std::string>& more = {}) {
    const fs::path finding = hunt_until_found("out", more, true);
    return finding.empty() ? fs::path() : finding.parent_path().parent_path();
  }

  static void expect_one_line(const Said& said, const std::string& part) {
    EXPECT_EQ(said.status, 2);
    EXPECT_THAT(said.err, HasSubstr(part));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }

  // A hunt's folder as a user may have it, without a hunt.
  void pretend_hunt(const std::string& findings) const {
    fs::create_directories(folder() / "made" / "findings");
    write("made/hunt.json",
          R"({"version":"0.1.0","seed":1,"executions":10,"findings":[)" + findings + "]}");
  }
};

TEST_F(Reporting, AHuntEndsWithAPageAndWhatElseWasAskedFor) {
  const fs::path out = hunted({"--report", "html,junit,sarif"});
  ASSERT_FALSE(out.empty());
  EXPECT_THAT(read(out / "report.html"),
              AllOf(HasSubstr("Does a serial order explain it?"), HasSubstr("DIFFERS"),
                    HasSubstr("could have gone on"), Not(HasSubstr("Not shown whole"))));
  EXPECT_THAT(read(out / "junit.xml"), HasSubstr("<failure message="));
  const json sarif = json::parse(read(out / "report.sarif"));
  EXPECT_FALSE(sarif["runs"][0]["results"].empty());
  const json hunt = json::parse(read(out / "hunt.json"));
  ASSERT_EQ(hunt["explored"].size(), hunt["explorations"]);
  EXPECT_GT(hunt["explored"][0]["points"], 10);
  EXPECT_EQ(hunt["explored"][0]["clients"], 2);
  EXPECT_EQ(hunt["explored"][0]["findings"], hunt["findings"].size());
}

TEST_F(Reporting, MadeAgainIsTheSame) {
  const fs::path out = hunted();
  ASSERT_FALSE(out.empty());
  const std::string first = read(out / "report.html");
  const Said said = esox({"report", out.string()});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("report.html\n"));
  // But for how the folder was named: relative by the hunt, absolute here.
  EXPECT_EQ(std::regex_replace(read(out / "report.html"), std::regex(folder().string() + "/"), ""),
            first);
}

TEST_F(Reporting, OneFormatGoesWhereOneWants) {
  pretend_hunt("");
  EXPECT_THAT(esox({"report", "made", "--format", "text", "--out", "-"}).out,
              HasSubstr("Nothing was found."));
  EXPECT_EQ(esox({"report", "made", "--format", "junit", "--out", "x.xml"}).status, 0);
  EXPECT_THAT(read(folder() / "x.xml"), HasSubstr("<testsuites>"));
  expect_one_line(esox({"report", "made", "--format", "junit,sarif", "--out", "x"}),
                  "--out names one file");
  expect_one_line(esox({"report", "made", "--out", "nowhere/x.html"}),
                  "cannot write nowhere/x.html");
}

TEST_F(Reporting, BadInputIsToldInOneLineAndWritesNothing) {
  expect_one_line(esox({"report", "nowhere"}), "nowhere is not the folder of a hunt");
  expect_one_line(esox({"report", "."}), "there is no hunt.json in it");
  pretend_hunt("");
  expect_one_line(esox({"report", "made", "--format", "pdf"}), "'pdf' is not a format");
  expect_one_line(esox({"hunt", control(), "--report", "pdf"}), "'pdf' is not a format");
  write("made/hunt.json", R"({"version":"0.1.0","seed":1,"exec)");
  expect_one_line(esox({"report", "made"}), "made/hunt.json: damaged at byte 34");
  EXPECT_FALSE(fs::exists(folder() / "made" / "report.html"));
}

TEST_F(Reporting, AFindingThatIsGoneIsSaidAndTheRestIsReported) {
  pretend_hunt(R"({"id":"0123456789abcdef","input":"some/input","class":"latent"})");
  const Said said = esox({"report", "made"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.err, HasSubstr("WARNING: finding 0123456789abcdef (some/input): its folder"));
  EXPECT_THAT(read(folder() / "made" / "report.html"), HasSubstr("Not shown whole"));
}

// ---- in a browser

class Browsing : public Reporting {
 protected:
  void SetUp() override {
    if (!Browser::program()) GTEST_SKIP() << "there is no chromium (make browser)";
  }

  // Keys it takes from the top of the page to what `selector` names; 0 if it is not reached.
  static int tabs_to(Browser& browser, const std::string& selector) {
    for (int tabs = 1; tabs <= 40; ++tabs) {
      browser.press_tab();
      if (browser.evaluate("document.activeElement.matches('" + selector + "')") == true)
        return tabs;
    }
    return 0;
  }
};

constexpr const char* kOverflow =
    "document.documentElement.scrollWidth - document.documentElement.clientWidth";

TEST_F(Browsing, ThePageOfARealHuntIsWholeAtAnyWidthWithoutComplaint) {
  const fs::path out = hunted();
  ASSERT_FALSE(out.empty());
  Browser browser(*Browser::program());
  for (const int width : {1280, 768, 390, 320}) {
    for (const bool dark : {false, true}) {
      browser.open(out / "report.html", width, 900, dark);
      browser.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
      EXPECT_EQ(browser.evaluate(kOverflow), 0) << "at " << width;
      EXPECT_THAT(browser.complaints(), testing::IsEmpty());
    }
  }
  EXPECT_GT(browser.screenshot().size(), 10'000u);
}

TEST_F(Browsing, AKeyboardReachesAFindingAndOpensIt) {
  const fs::path out = hunted();
  ASSERT_FALSE(out.empty());
  Browser browser(*Browser::program());
  browser.open(out / "report.html", 1280, 900);
  browser.press_tab();
  EXPECT_EQ(browser.evaluate("document.activeElement.className"), "skip");
  EXPECT_GE(browser.evaluate("document.activeElement.getBoundingClientRect().left"), 0) << "shown";
  ASSERT_GT(tabs_to(browser, ".finding > summary"), 0);
  EXPECT_EQ(browser.evaluate("document.activeElement.parentElement.open"), false);
  EXPECT_NE(browser.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none");
  browser.press_enter();
  EXPECT_EQ(browser.evaluate("document.activeElement.parentElement.open"), true);
  ASSERT_GT(tabs_to(browser, ".finding .trace"), 0) << "what scrolls can be scrolled by keys";
}

TEST_F(Browsing, TheFilterShowsWhatHasAllItsWords) {
  pretend_hunt(R"({"id":"0123456789abcdef","input":"one/alter","class":"latent","hits":1},
                  {"id":"fedcba9876543210","input":"two/drop","class":"crash","hits":9})");
  ASSERT_EQ(esox({"report", "made"}).status, 0);
  Browser browser(*Browser::program());
  browser.open(folder() / "made" / "report.html", 1280, 900);
  const auto shown_with = [&](const std::string& words) {
    browser.evaluate("{ const f = document.getElementById('filter'); f.value = '" + words +
                     "'; f.dispatchEvent(new Event('input')); }");
    return browser.evaluate("document.getElementById('shown').textContent");
  };
  EXPECT_EQ(shown_with(""), "2 of 2");
  EXPECT_EQ(shown_with("LATENT alter"), "1 of 2");
  EXPECT_EQ(shown_with("latent drop"), "0 of 2");
  EXPECT_THAT(browser.complaints(), testing::IsEmpty());
}

}  // namespace
}  // namespace esox
