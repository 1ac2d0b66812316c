#include "cli/journal_store.h"

#include <fmt/format.h>

#include "cli/open_journal.h"
#include "io/result/hex.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {

JournalStore::JournalStore(const char* command, const std::filesystem::path& journal,
                           const Problem& problem, bool resume,
                           const boost::program_options::variables_map& values) {
  journal_ =
      open_journal(journal, journal_header(command, problem, values), resume, values,
                   [this](const std::string& key, const std::string& text) {
                     before_[bytes_of(key)] = bytes_of(text);
                   });
  count_ = before_.size();
}

std::optional<std::string> JournalStore::find(const std::string& key) const {
  const auto found = before_.find(key);
  if (found == before_.end()) return std::nullopt;
  return found->second;
}

void JournalStore::keep(const std::string& key, const std::string& bytes) {
  journal_->add(hex_of(key), hex_of(bytes));
  ++count_;
}

void JournalStore::begin() {
  if (!journal_->has_begun()) journal_->begin();
}

std::string JournalStore::what_is_kept() const {
  return what_is_kept(
      fmt::format("{} result{}", count_.load(), count_ == 1 ? " is" : "s are"));
}

std::string JournalStore::what_is_kept(const std::string& what) const {
  return journal_->has_begun() ? fmt::format(" {} kept in {}: continue with --resume.",
                                             what, shown(journal_->path()))
                               : "";
}

}  // namespace thinwire::cli
