#include "io/page/page.h"

#include <thinwire_version.h>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "io/page/packing.h"
#include "kernels/base/printable.h"

// Takes a file into the program, as bytes from `symbol` to `symbol`_end.
#ifdef _WIN32  // COFF has neither hidden symbols nor a stack of sections
#define THINWIRE_EMBED(symbol, file)                                               \
  asm(".section .rdata,\"dr\"\n.global " #symbol "\n" #symbol ":\n.incbin \"" file \
      "\"\n.global " #symbol "_end\n" #symbol "_end:\n.text\n");                   \
  extern "C" const char symbol[], symbol##_end[]
#else
#define THINWIRE_EMBED(symbol, file)                                                   \
  asm(".pushsection .rodata,\"a\"\n.hidden " #symbol "\n.global " #symbol "\n" #symbol \
      ":\n.incbin \"" file "\"\n.hidden " #symbol "_end\n.global " #symbol             \
      "_end\n" #symbol "_end:\n.popsection\n");                                        \
  extern "C" const char symbol[], symbol##_end[]
#endif

THINWIRE_EMBED(thinwire_page_template, THINWIRE_PAGE_TEMPLATE);
THINWIRE_EMBED(thinwire_page_plotly, THINWIRE_PAGE_PLOTLY);

namespace thinwire {
namespace {

std::string_view embedded(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string replaced(std::string_view text, char from, std::string_view to) {
  std::string out;
  for (const char c : text) out += c == from ? to : std::string_view(&c, 1);
  return out;
}

}  // namespace

std::string_view page_plotly() {
  return embedded(thinwire_page_plotly, thinwire_page_plotly_end);
}

std::string page_html(const nlohmann::json& document) {
  nlohmann::json whole = document;
  whole["format"] = "thinwire-page";
  whole["version"] = 1;
  whole["program"] = "thinwire " THINWIRE_VERSION;
  // In the order of the template.
  const std::pair<std::string_view, std::string> parts[] = {
      {"{{TITLE}}", replaced(replaced(utf8_text(document.at("title").get<std::string>()),
                                      '&', "&amp;"),
                             '<', "&lt;")},
      {"{{PLOTLY}}", base64(page_plotly())},
      // Nothing in it may look like a tag or a comment of HTML.
      {"{{CONTENTS}}",
       replaced(whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), '<',
                "\\u003c")}};
  std::string_view rest = embedded(thinwire_page_template, thinwire_page_template_end);
  std::string page;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}

}  // namespace thinwire
