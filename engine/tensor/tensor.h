// Arrays: a ref-counted block of memory, and a shaped, strided window on it.
#pragma once

#include "engine/tensor/dims.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/ref.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace engine {

/// Whom the memory of a Storage belongs to.
enum class Memory : std::uint8_t {
    Ours,
    Borrowed, ///< others may look into it, and two storages into the same memory
    ReadOnly, ///< borrowed, and nobody may write there
};

/// Whose memory it is: the host's, or that of a device (device/device.h). An address of a device is for arithmetic; only the device reads
/// there.
enum class DeviceId : std::uint8_t { Host = 0 };

/// Memory with an owner. Subclasses decide where it comes from and where it returns to (pool, arena, NumPy).
class Storage {
public:
    Storage(void *data, std::size_t bytes, Memory memory = Memory::Ours, DeviceId device = DeviceId::Host)
        : m_data(data), m_bytes(bytes), m_memory(memory), m_device(device)
    {}
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;

    void *data() const { return m_data; }
    std::size_t bytes() const { return m_bytes; }
    Memory memory() const { return m_memory; }
    DeviceId device() const { return m_device; }
    std::uint32_t useCount() const { return m_refs.load(std::memory_order_acquire); }

    void retain() const { m_refs.fetch_add(1, std::memory_order_relaxed); }
    void release() const
    {
        if (m_refs.fetch_sub(1, std::memory_order_acq_rel) == 1) const_cast<Storage *>(this)->dispose();
    }

protected:
    virtual ~Storage() = default;
    /// The last reference is gone: give the memory back and delete or recycle this object.
    virtual void dispose() = 0;

    void *m_data;
    std::size_t m_bytes;

private:
    mutable std::atomic<std::uint32_t> m_refs{0};
    Memory m_memory;
    DeviceId m_device;
};

using StorageRef = Ref<Storage>;

/// 64-byte aligned memory from the process-wide size-class pool; contents are undefined.
StorageRef allocateStorage(std::size_t bytes);

/// A raw window that a kernel works on. Points into somebody else's shape and strides.
struct View {
    void *data = nullptr;
    DType dtype = DType::Float64;
    int rank = 0;
    const std::int64_t *shape = nullptr;
    const std::int64_t *strides = nullptr; ///< bytes

    std::int64_t size() const
    {
        std::int64_t result = 1;
        for (int i = 0; i < rank; ++i) result *= shape[i];
        return result;
    }
    bool isContiguous() const;
    template <class T>
    T *as() const
    {
        return static_cast<T *>(data);
    }
};

class Tensor {
public:
    Tensor() = default;
    /// A window on existing memory; `data` may lie anywhere inside `storage`.
    Tensor(DType dtype, Dims shape, Dims strides, void *data, StorageRef storage);

    /// Fresh C-contiguous memory; contents are undefined.
    static Tensor empty(DType dtype, const Dims &shape);
    static Tensor zeros(DType dtype, const Dims &shape);
    /// Every element `value`, converted.
    static Tensor full(DType dtype, const Dims &shape, double value);
    static Tensor scalar(DType dtype, double value) { return full(dtype, {}, value); }
    static Tensor scalarInt(DType dtype, std::int64_t value);
    static Tensor fromInts(std::span<const std::int64_t> values); ///< an int64 vector

    bool valid() const { return m_data != nullptr; }
    DType dtype() const { return m_dtype; }
    const Dims &shape() const { return m_shape; }
    const Dims &strides() const { return m_strides; }
    int rank() const { return m_shape.rank(); }
    std::int64_t size() const { return m_shape.product(); }
    std::size_t bytes() const { return static_cast<std::size_t>(size()) * sizeOf(m_dtype); }
    void *data() const { return m_data; }
    template <class T>
    T *as() const
    {
        return static_cast<T *>(m_data);
    }
    const StorageRef &storage() const { return m_storage; }
    DeviceId device() const { return m_storage ? m_storage->device() : DeviceId::Host; }
    View view() const;
    bool isContiguous() const { return view().isContiguous(); }

    /// A C-contiguous deep copy, converted to `dtype` where that differs.
    Tensor copy() const { return converted(m_dtype); }
    Tensor converted(DType dtype) const;
    /// Element `flatIndex` in C order as a double / integer (real part of complex).
    double at(std::int64_t flatIndex) const;
    std::int64_t intAt(std::int64_t flatIndex) const;
    /// If all elements are equal (NaN equals NaN) and there is at least one; of a device's array nobody knows.
    bool isUniform() const;

    /// Bitwise equality of dtype, shape and elements (so NaN equals itself); what merging of constants uses. On a device: the same memory.
    bool sameAs(const Tensor &other) const;
    std::size_t contentHash() const;

    /// "0.5", "[0. 1. 2.]": short text for labels; at most `limit` characters.
    std::string text(std::size_t limit = 60) const;

private:
    DType m_dtype = DType::Float64;
    Dims m_shape;
    Dims m_strides;
    void *m_data = nullptr;
    StorageRef m_storage;
};

/// Copies any layout and dtype to any other of the same shape.
void copyConverted(const View &from, const View &to);

} // namespace engine
