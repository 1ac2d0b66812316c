#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace thinwire {

/// For people: "1 segment", "3 segments", "2 frequencies", "0 meshes".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace thinwire
