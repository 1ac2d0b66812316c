#include "cg/tiled_operator.h"

namespace thinwire {

TiledOperator::TiledOperator(const DeviceTiles& z, SymvSetting setting,
                             DeviceExchange* others)
    : z_(z),
      setting_(setting),
      others_(others),
      one_(z.layout(), z.share(), z.storage(), 1, setting) {}

DeviceSymv& TiledOperator::symv(int rhs_count) const {
  if (rhs_count == 1) return one_;
  if (!four_)
    four_ = std::make_unique<DeviceSymv>(z_.layout(), z_.share(), z_.storage(),
                                         max_rhs_count, setting_);
  return *four_;
}

void TiledOperator::multiply(const Complex* x, Complex* y, int rhs_count,
                             const DeviceStream& stream) const {
  if (others_ == nullptr) return symv(rhs_count).multiply(z_, x, y, stream);
  symv(rhs_count).multiply(z_, x, static_cast<Complex*>(others_->window()), stream);
  others_->sum_windows(y, static_cast<std::size_t>(rhs_count) * padded(), stream);
}

const SymvParts* TiledOperator::parts(int rhs_count) const {
  if (others_ != nullptr) return nullptr;
  const SymvParts& parts = symv(rhs_count).parts();
  // GPUs older than Hopper take the right-hand sides one by one.
  return parts.rhs_count == rhs_count ? &parts : nullptr;
}

void TiledOperator::first_pass(const Complex* x, int rhs_count, const int* skip,
                               const DeviceStream& stream) const {
  symv(rhs_count).first_pass(z_, x, skip, stream);
}

}  // namespace thinwire
