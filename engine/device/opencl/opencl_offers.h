// The devices of OpenCL's platforms.
#pragma once

#include "engine/device/offers.h"

namespace engine {

std::vector<DeviceOffer> openClOffers();

} // namespace engine
