// Memory of the host language: whether it may be written is up to its owner, who may change his mind between calls.
#pragma once

#include "engine/runtime/tensor.h"

namespace engine {

class ForeignStorage : public Storage {
public:
    using Storage::Storage;
    virtual bool isWritable() const = 0;
};

/// Whose the memory is at this moment.
inline Memory memoryNow(const Storage &storage)
{
    if (storage.memory() != Memory::Borrowed) return storage.memory();
    const auto *foreign = dynamic_cast<const ForeignStorage *>(&storage);
    return foreign && !foreign->isWritable() ? Memory::ReadOnly : Memory::Borrowed;
}

} // namespace engine
