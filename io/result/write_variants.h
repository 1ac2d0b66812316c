#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "io/result/variants.h"

namespace thinwire {

/// All variants, solved, as one HDF5 file: an axis /<symbol> for each variation, and
/// behind these frequencies, ports, segments (docs/guide/sweeps.md has the layout). NaN
/// where a variant has fewer of these than others. Throws as write_hdf5() does.
void write_variants_hdf5(const std::filesystem::path& path, const VariantSweep& sweep,
                         const std::string& command_line,
                         const std::atomic<bool>* stop = nullptr);

/// A row for each variant, frequency and port.
std::string variants_table(const VariantSweep& sweep, double reference_ohm);
std::string variants_csv(const VariantSweep& sweep, double reference_ohm);
std::string variants_json(const VariantSweep& sweep, double reference_ohm);

}  // namespace thinwire
