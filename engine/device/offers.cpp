#include "engine/device/offers.h"

#include "engine/device/cuda/cuda_offers.h"
#include "engine/device/opencl/opencl_offers.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace engine {
namespace {

/// Where devices are looked for: a row a kind, by what the names of its devices begin with.
struct Kind {
    const char *name;
    std::vector<DeviceOffer> (*offers)();
};
constexpr Kind kKinds[] = {
    {"cuda", cudaOffers},
    {"opencl", openClOffers},
};

bool isOldName(std::string_view name)
{
    const auto isOne = [&](std::string_view kind) {
        return name.starts_with(kind) && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(kind.size()), name.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    };
    return isOne("gpu") || name == "cuda";
}

const DeviceOffer &offerFor(std::string_view name)
{
    const std::vector<DeviceOffer> &offers = offeredDevices();
    const DeviceOffer *best = nullptr;
    std::string reasons;
    for (const DeviceOffer &offer : offers) {
        if (offer.name == name && offer.open) return offer;
        if (offer.open && (!best || offer.rank > best->rank)) best = &offer;
        const bool isOfKind = isOldName(name) || name.starts_with(offer.name) || offer.name == name;
        if (!offer.open && isOfKind) reasons += (reasons.empty() ? "" : "; ") + offer.reason;
    }
    if (best && isOldName(name)) return *best;
    if (reasons.empty()) {
        std::string there;
        for (const DeviceOffer &offer : offers)
            if (offer.open) there += (there.empty() ? "" : ", ") + offer.name;
        reasons = "this machine has " + (there.empty() ? "no device of that kind" : "only " + there);
    }
    throw UserError("the device " + std::string(name) + " cannot be had: " + reasons, "`croton devices` names what there is");
}

} // namespace

std::span<const char *const> deviceKinds()
{
    static constexpr auto kNames = [] {
        std::array<const char *, std::size(kKinds)> names{};
        std::transform(std::begin(kKinds), std::end(kKinds), names.begin(), [](const Kind &kind) { return kind.name; });
        return names;
    }();
    return kNames;
}

bool isNameOfDevice(std::string_view name)
{
    return isOldName(name) || std::ranges::any_of(deviceKinds(), [&](const char *kind) { return name.starts_with(kind); });
}

const std::vector<DeviceOffer> &offeredDevices()
{
    static const auto *const all = [] {
        auto *offers = new std::vector<DeviceOffer>;
        for (const Kind &kind : kKinds)
            for (DeviceOffer &offer : kind.offers()) offers->push_back(std::move(offer));
        return offers;
    }();
    return *all;
}

namespace {

struct Observed {
    ProcessMutex mutex; // guards the other
    std::function<void()> observer;
};
Observed &observed()
{
    static auto *const one = new Observed;
    return *one;
}

} // namespace

void setDeviceObserver(std::function<void()> observer)
{
    std::lock_guard lock(observed().mutex);
    observed().observer = std::move(observer);
}

Device &openDevice(std::string_view name)
{
    if (Device *known = findDevice(name)) return *known;
    const DeviceOffer &offer = offerFor(name);
    static ProcessMutex mutex; // guards the opening
    Device *opened = nullptr;
    {
        std::lock_guard lock(mutex);
        if (Device *known = findDevice(offer.name)) return *known;
        opened = &deviceOf(addDevice(offer.open(offer.name)));
    }
    std::function<void()> told;
    {
        std::lock_guard reading(observed().mutex);
        told = observed().observer;
    }
    if (told) told();
    return *opened;
}

} // namespace engine
