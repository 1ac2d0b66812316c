#pragma once

#include <string>
#include <vector>

namespace thinwire::cli {

/// Becomes the Python that this program was installed for (THINWIRE_PYTHON), or else
/// python3, which calls main() of a module of the package with `words` behind
/// sys.argv[0]. extra: the package's optional part that the command needs, "[serve]".
/// Throws Error{file} where Python cannot be started.
[[noreturn]] void become_python(const std::string& command, const std::string& module,
                                const std::string& extra,
                                const std::vector<std::string>& words);

}  // namespace thinwire::cli
