// Memory of the host language: whether it may be written is up to its owner, who may change his mind between calls.
#pragma once

#include "engine/tensor/tensor.h"

namespace engine {

/// All memory that is Borrowed.
class ForeignStorage : public Storage {
public:
    ForeignStorage(void *data, std::size_t bytes, DeviceId device = DeviceId::Host) : Storage(data, bytes, Memory::Borrowed, device) {}
    virtual bool isWritable() const = 0;
};

/// Whose the memory is at this moment.
inline Memory memoryNow(const Storage &storage)
{
    if (storage.memory() != Memory::Borrowed) return storage.memory();
    return static_cast<const ForeignStorage &>(storage).isWritable() ? Memory::Borrowed : Memory::ReadOnly;
}

} // namespace engine
