#include "io/result/checked_json.h"

#include "io/result/checksum.h"
#include "kernels/base/error.h"

namespace thinwire {

using Json = nlohmann::ordered_json;

std::string checked_json(Json object) {
  object["crc64"] = checksum_digits(object.dump());
  return object.dump(2) + '\n';
}

Json parse_checked_json(const std::string& text) {
  Json object = Json::parse(text, nullptr, false);
  if (object.is_object() && object.contains("crc64")) {
    const Json written = object["crc64"];
    object.erase("crc64");
    if (written ==
        checksum_digits(object.dump(-1, ' ', false, Json::error_handler_t::replace)))
      return object;
  }
  throw Error(ErrorKind::file, "damaged");
}

}  // namespace thinwire
