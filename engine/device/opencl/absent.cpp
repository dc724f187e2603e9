// Used when the OpenCL headers were missing at build time.
#include "engine/device/opencl/opencl_offers.h"

namespace engine {

std::vector<DeviceOffer> openClOffers()
{
    std::vector<DeviceOffer> none(1);
    none[0].name = "opencl";
    none[0].reason =
        "this build has no OpenCL support because its headers were missing. Install the package opencl-headers and build again";
    return none;
}

} // namespace engine
