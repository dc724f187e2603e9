// Where OpenCL's headers were not there when this was built.
#include "engine/device/opencl/opencl_offers.h"

namespace engine {

std::vector<DeviceOffer> openClOffers()
{
    std::vector<DeviceOffer> none(1);
    none[0].name = "opencl";
    none[0].reason = "this build has no OpenCL: install opencl-headers and build again";
    return none;
}

} // namespace engine
