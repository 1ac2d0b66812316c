#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace thinwire::cli {

/// A result as a file of another program.
struct ConvertedResult {
  std::string text, note;  ///< note: what was chosen of several
};

/// True for a name whose end stands for a file that a result can become: .msi, .n13,
/// .n14, .vtp, .vts, .vti.
bool is_made_of_result(const std::filesystem::path& output);

/// Converts a file of `thinwire solve`, at the frequency nearest to `frequency_hz`
/// (default: the middle one). Throws Error{file} for other files, and for a result that
/// lacks what `output` needs.
ConvertedResult convert_result(const std::filesystem::path& result,
                               const std::filesystem::path& output,
                               std::optional<double> frequency_hz);

}  // namespace thinwire::cli
