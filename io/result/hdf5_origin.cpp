#include "io/result/hdf5_origin.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <thinwire_version.h>
#include <chrono>

#include "io/result/write_hdf5.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {

void write_origin(Hdf5Writer& out, const std::string& command_line) {
  const std::time_t now =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  out.attribute("/", "format", "thinwire");
  out.attribute("/", "format_version", std::int64_t{hdf5_format_version});
  out.attribute("/", "program_version", THINWIRE_VERSION);
  out.attribute("/", "git_commit", THINWIRE_GIT_COMMIT);
  out.attribute("/", "command_line", command_line);
  out.attribute("/", "created_utc",
                fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)));
}

void write_origin(Hdf5Writer& out, const std::string& command_line,
                  const std::string& content) {
  write_origin(out, command_line);
  out.attribute("/", "content", content);
}

void write_deck(Hdf5Writer& out, const std::string& text, const std::string& name,
                const std::string& dialect, const std::string& patches) {
  out.text("/input/deck", text, "NEC deck as read");
  out.attribute("/input/deck", "file_name", name);
  out.attribute("/input/deck", "dialect", dialect);
  out.attribute("/input/deck", "patches", patches);
}

void write_warnings(Hdf5Writer& out, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  out.counting_axis("/warning_number", warnings.size(), 1, "warning, from 1");
  out.dataset("/warnings", warnings, {"/warning_number"}, "warnings of the run");
}

void check_format_version(const Hdf5Reader& in, const std::filesystem::path& path) {
  if (!in.has_attribute("/", "format") || !in.has_attribute("/", "format_version") ||
      in.attribute_text("/", "format") != "thinwire")
    return;
  const std::int64_t version = in.attribute_integer("/", "format_version");
  if (version > hdf5_format_version)
    throw Error(ErrorKind::file,
                fmt::format("{}: has format version {}, this program reads up to {}. Use "
                            "a newer thinwire.",
                            shown(path), version, hdf5_format_version));
}

}  // namespace thinwire
