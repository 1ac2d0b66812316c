#pragma once

#include <string>
#include <string_view>

#include "kernels/matrix/symv_shapes.h"

namespace thinwire {

/// Settings that `thinwire tune --apply` stores for one GPU model and one version of the
/// program. 0 or empty: the program's own default.
struct StoredTuning {
  int row_threads = 0;          ///< threads a block of the paper's kernel, for `bench`
  std::string symv_shape;       ///< of the symmetric product, for every solve, by name
                                ///< (symv_shapes.h)
  int symv_runs_per_block = 0;  ///< the same

  bool operator==(const StoredTuning&) const = default;
};

/// Returns the stored setting of the symmetric product. symv_shape: as accepted by
/// parse_tuning.
SymvSetting symv_setting(const StoredTuning& tuning);

/// "tuning-nvidia-h200-0.1.0.json": the GPU's name in letters, digits and dashes, and the
/// version of the program.
std::string tuning_file_name(std::string_view gpu_name);

/// The file's text, JSON.
std::string tuning_json(const std::string& gpu_name, const StoredTuning& tuning);

/// Parses the text of a tuning file. Throws Error{file}, with the reason alone as its
/// text, if the text is damaged, a number is out of range, or the file belongs to another
/// format, GPU or version of the program.
StoredTuning parse_tuning(const std::string& text, const std::string& gpu_name);

}  // namespace thinwire
