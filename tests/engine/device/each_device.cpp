#include "tests/engine/device/each_device.h"

#include "engine/device/offers.h"
#include "tests/engine/device/shadow.h"

#include <algorithm>
#include <map>

namespace each_device {
namespace {

std::map<std::string, std::string> &problems()
{
    static std::map<std::string, std::string> all;
    return all;
}

} // namespace

std::vector<const char *> others()
{
    std::vector<const char *> names{"shadow0"};
    names.insert(names.end(), engine::deviceKinds().begin(), engine::deviceKinds().end());
    return names;
}

engine::Device *find(const std::string &name)
{
    shadow::device();
    if (engine::Device *known = engine::findDevice(name)) return known;
    if (problems().count(name)) return nullptr;
    try {
        for (const engine::DeviceOffer &offer : engine::offeredDevices())
            if (offer.open && offer.name.starts_with(name)) return &engine::openDevice(offer.name);
        return &engine::openDevice(name);
    } catch (const std::exception &error) {
        problems()[name] = error.what();
        return nullptr;
    }
}

std::string problem(const std::string &name) { return problems()[name]; }

std::string testName(std::string name)
{
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
}

} // namespace each_device
