// The devices that the module libcroton_cuda.so finds.
#pragma once

#include "engine/device/offers.h"

namespace engine {

std::vector<DeviceOffer> cudaOffers();

} // namespace engine

/// Of the module: adds what it finds, or why there is nothing.
extern "C" void crotonCudaOffers(std::vector<engine::DeviceOffer> &offers);
