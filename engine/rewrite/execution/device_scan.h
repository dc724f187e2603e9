// Loops whose steps run on a device.
#pragma once

#include "engine/ops/loops/scan.h"

#include <string>
#include <vector>

namespace engine {

/// What of a loop lies on the device, where its steps run there.
class LoopOnDevice {
public:
    LoopOnDevice(const Scan &loop, DeviceId device, bool hasDoubles);
    /// Why it stays on the host; empty: it goes.
    const std::string &whyNot() const { return m_whyNot; }
    /// Does this outer input lie there?
    bool takes(std::size_t outerInput) const { return m_isThere[outerInput]; }
    OpRef op() const;

private:
    /// What the host's loop computes of inputs that lie there; the reason where a step needs the host.
    void follow();
    bool isThere(const VarRef &v) const;
    void add(const Variable *v);

    const Scan &m_loop;
    DeviceId m_device;
    bool m_hasDoubles;
    std::vector<bool> m_isThere;          ///< by outer input
    std::vector<const Variable *> m_made; ///< on the device, sorted
    std::string m_whyNot;
};

/// Why the device cannot work on such arrays; empty: it can.
std::string problemOfTypes(const Op &op, std::span<const Type> inputs, std::span<const Type> outputs, bool hasDoubles);

} // namespace engine
