// Which devices this machine offers, and opening them.
#pragma once

#include "engine/device/device.h"

#include <functional>
#include <span>

namespace engine {

/// A device that could be opened, or why those of a kind cannot.
struct DeviceOffer {
    std::string name; ///< "opencl0:0"; of a kind that is not there its prefix
    std::string hardware, reason;
    std::size_t bytes = 0;
    int rank = 0;                                                       ///< the old name "gpu" means the highest
    std::unique_ptr<Device> (*open)(const std::string &name) = nullptr; ///< null: there is a reason
    std::vector<Capability> (*parts)() = nullptr;                       ///< libraries of its kind, loaded to see them; null: it has none
};

/// What the names of devices begin with, a word for each kind.
std::span<const char *const> deviceKinds();
/// Could there be one of this name on some machine? Looks for none.
bool isNameOfDevice(std::string_view name);
/// Looked for once; may load the drivers of this machine.
const std::vector<DeviceOffer> &offeredDevices();
/// The device of that name, opened if it was not. `gpu`, `gpu0`, `cuda` are old names for the best that is there. UserError with the reason
/// where it cannot be had.
Device &openDevice(std::string_view name);
/// Told of each device that is opened from now on, by the thread that opens it and before it has any work; empty: nobody.
void setDeviceObserver(std::function<void()> observer);

} // namespace engine
