#include "cg/tiled_operator.h"

namespace thinwire {

TiledOperator::TiledOperator(const DeviceTiles& z, SymvSetting setting,
                             DeviceExchange* others)
    : z_(z),
      setting_(setting),
      others_(others),
      one_(z.layout(), z.share(), z.storage(), 1, setting) {}

DeviceSymv& TiledOperator::symv(int sides) const {
  if (sides == 1) return one_;
  if (!four_)
    four_ = std::make_unique<DeviceSymv>(z_.layout(), z_.share(), z_.storage(),
                                         most_sides, setting_);
  return *four_;
}

void TiledOperator::multiply(const Complex* x, Complex* y, int sides,
                             const DeviceStream& stream) const {
  if (others_ == nullptr) return symv(sides).multiply(z_, x, y, stream);
  symv(sides).multiply(z_, x, static_cast<Complex*>(others_->window()), stream);
  others_->sum_windows(y, static_cast<std::size_t>(sides) * padded(), stream);
}

const SymvParts* TiledOperator::parts(int sides) const {
  if (others_ != nullptr) return nullptr;
  const SymvParts& parts = symv(sides).parts();
  // GPUs older than Hopper take the sides one by one.
  return parts.sides == sides ? &parts : nullptr;
}

std::size_t TiledOperator::least_of_owners(std::size_t value) const {
  return others_ == nullptr ? value : others_->least(value);
}

void TiledOperator::first_pass(const Complex* x, int sides, const int* skip,
                               const DeviceStream& stream) const {
  symv(sides).first_pass(z_, x, skip, stream);
}

}  // namespace thinwire
