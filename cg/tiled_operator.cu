#include "cg/tiled_operator.h"

namespace thinwire {

TiledOperator::TiledOperator(const DeviceTiles& z, SymvSetting setting)
    : z_(z), setting_(setting), one_(z.layout(), z.storage(), 1, setting) {}

DeviceSymv& TiledOperator::symv(int sides) const {
  if (sides == 1) return one_;
  if (!four_)
    four_ = std::make_unique<DeviceSymv>(z_.layout(), z_.storage(), most_sides, setting_);
  return *four_;
}

void TiledOperator::multiply(const Complex* x, Complex* y, int sides,
                             const DeviceStream& stream) const {
  symv(sides).multiply(z_, x, y, stream);
}

const SymvParts* TiledOperator::parts(int sides) const {
  const SymvParts& parts = symv(sides).parts();
  // GPUs older than Hopper take the sides one by one.
  return parts.sides == sides ? &parts : nullptr;
}

void TiledOperator::first_pass(const Complex* x, int sides, const int* skip,
                               const DeviceStream& stream) const {
  symv(sides).first_pass(z_, x, skip, stream);
}

}  // namespace thinwire
