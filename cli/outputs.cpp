#include "cli/outputs.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "cli/parse.h"
#include "cli/tell.h"
#include "io/result/output_file.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {

std::filesystem::path output_path(const std::string& command,
                                  const boost::program_options::variables_map& values,
                                  const char* option,
                                  const std::filesystem::path& standard) {
  if (!given(values, option)) return standard;
  const std::string path = text_of(values, option);
  if (path.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: --{} names no file (got ''). Name one, or leave it out.",
                            command, option));
  return path == "none" ? "" : path;
}

Overwrite overwrite_of(const boost::program_options::variables_map& values) {
  return values["force"].as<bool>() ? Overwrite::any : Overwrite::own;
}

bool Delivery::take(const std::function<void()>& step) {
  const auto fail = [this](ErrorKind kind, const char* text) {
    error_ = error_ ? Error(error_->kind(), fmt::format("{}\n{}", error_->what(), text))
                    : Error(kind, text);
    return false;
  };
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    return fail(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::memory, "out of memory while results were written.");
  }
}

void Delivery::write(const std::filesystem::path& path,
                     const std::function<void()>& step) {
  if (!path.empty() && take(step)) written_.push_back(path);
}

void Delivery::print_written() const {
  for (const std::filesystem::path& path : written_)
    if (!is_stdout(path)) tell("wrote {}\n", shown(path));
}

void Delivery::raise(const std::string& kept) const {
  if (!error_) return;
  std::fflush(stdout);
  throw Error(error_->kind(), error_->what() + kept);
}

}  // namespace thinwire::cli
