#pragma once

#include <string>

namespace thinwire {

/// For people: "640 bytes", "1.1 MiB", "63.2 GiB".
std::string bytes_text(double bytes);

}  // namespace thinwire
