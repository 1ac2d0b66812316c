#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace thinwire {

/// Returns one HTML page that shows a document and needs nothing else, no network either:
/// web/page.html with its style and scripts, which are inside the program. The document
/// has a `title`, and either `results` (results_page.h) or plots and tables of a study
/// (bench/study_page.h).
std::string page_html(const nlohmann::json& document);

/// Returns plotly.js, the library that draws the page's plots, compressed by gzip.
std::string_view page_plotly();

}  // namespace thinwire
