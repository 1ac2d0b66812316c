#include "mom/schedule/outcome_bytes.h"

#include "mom/postprocess/result_fields.h"
#include "mom/schedule/byte_archive.h"

namespace thinwire {
namespace {

/// Hands the members of a record, and not what is derived from them, to `use`.
template <class Use>
struct Members {
  void operator()(auto& member, const Field& = {}) const { use(member); }
  void derived(const auto&, const Field&) const {}

  const Use& use;
};

}  // namespace

static void members(auto& record, const auto& use) requires
    requires(Members<decltype(use)>& of) {
  describe(record, of);
}
{
  Members<decltype(use)> of{use};
  describe(record, of);
}
static void members(Warning& of, const auto& use) {
  auto& [text, about] = of;
  use(text, about);
}
static void members(FrequencyOutcome& of, const auto& use) {
  auto& [results, warnings, stored, timings] = of;
  use(results, warnings, timings);
}

std::string outcome_bytes(const FrequencyOutcome& outcome) {
  return to_bytes(outcome);
}

FrequencyOutcome outcome_of(std::string_view bytes) {
  return from_bytes<FrequencyOutcome>(bytes);
}

}  // namespace thinwire
