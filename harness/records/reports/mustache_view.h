// SPDX-License-Identifier: Apache-2.0
// A view (plain values, as JSON) for a page that is a mustache template compiled in.
#pragma once

#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

namespace esox {

// An empty text counts as absent.
kainjow::mustache::data mustache_data(const nlohmann::json& view);

// The templates are ours, so that one that does not parse is a fault of esox.
kainjow::mustache::mustache mustache_page(const char* text);

}  // namespace esox
