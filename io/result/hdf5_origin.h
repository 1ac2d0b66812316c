#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/result/hdf5_file.h"

namespace thinwire {

/// Writes the root attributes that identify a file of thinwire: the program that wrote
/// it, the time and the command.
void write_origin(Hdf5Writer& out, const std::string& command_line);

/// Writes the origin of a file that holds `content` instead of a solution.
void write_origin(Hdf5Writer& out, const std::string& command_line,
                  const std::string& content);

/// /input/deck and how it was read: name of its file, words of --dialect and --patches.
void write_deck(Hdf5Writer& out, const std::string& text, const std::string& name,
                const std::string& dialect, const std::string& patches);

/// /warnings, where there are any.
void write_warnings(Hdf5Writer& out, const std::vector<std::string>& warnings);

/// Throws Error{file} where a file of thinwire has a format that this version cannot
/// read.
void check_format_version(const Hdf5Reader& in, const std::filesystem::path& path);

}  // namespace thinwire
