#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "geometry/structure.h"

/// The refusals that the operations of Structure share.
namespace thinwire::detail {

/// Throws Error{geometry}; the text gets its full stop here.
[[noreturn]] void refuse(const std::string& text);

/// Throws Error{deck}: the structure has only `present` segments of that tag.
[[noreturn]] void no_such_segment(int tag, std::int64_t within_tag, std::int64_t present);

void check_count(std::int64_t count);
void check_radius(double radius_m);

/// Refuses a segment without length, without radius, or with a coordinate that is not
/// finite or beyond Structure::max_coordinate_m. `number`: from 1, for the message.
void check_segment(const Segment& segment, std::size_t number);

/// Whether check_segment lets it pass.
bool is_segment(const Segment& segment);
/// Whether a segment may carry it.
bool is_tag(std::int64_t tag);

/// `tag` grown by `increment`, zero staying zero; refuses what does not fit an int.
int grown_tag(int tag, std::int64_t increment);

}  // namespace thinwire::detail
