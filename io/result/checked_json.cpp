#include "io/result/checked_json.h"

#include "io/result/checksum.h"
#include "kernels/base/error.h"

namespace thinwire {

void refuse_file(const std::string& why) {
  throw Error(ErrorKind::file, why);
}

std::string checked_json(nlohmann::ordered_json object) {
  object["crc64"] = checksum_digits(object.dump());
  return object.dump(2) + '\n';
}

nlohmann::ordered_json parse_checked_json(const std::string& text) {
  nlohmann::ordered_json object = nlohmann::ordered_json::parse(text, nullptr, false);
  if (object.is_object() && object.contains("crc64")) {
    const nlohmann::ordered_json written = object["crc64"];
    object.erase("crc64");
    if (written == checksum_digits(object.dump(-1, ' ', false,
                                               nlohmann::json::error_handler_t::replace)))
      return object;
  }
  refuse_file("damaged");
}

}  // namespace thinwire
