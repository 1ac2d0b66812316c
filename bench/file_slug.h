#pragma once

#include <string>
#include <string_view>

namespace thinwire {

/// A device's name as part of a file's name: lower-case letters, digits and single
/// dashes; `otherwise` where nothing of it is left.
std::string file_slug(std::string_view name, const char* otherwise);

}  // namespace thinwire
