#include "engine/tensor/tensor.h"

#include "engine/tensor/convert.h"
#include "engine/tensor/sizes.h"
#include "engine/tensor/value.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>

namespace engine {

std::string Dims::text() const
{
    std::string result = "(";
    for (std::size_t i = 0; i < m_size; ++i) {
        if (i) result += ", ";
        result += std::to_string(m_values[i]);
    }
    return result + (m_size == 1 ? ",)" : ")");
}

Dims contiguousStrides(std::span<const std::int64_t> shape, std::size_t itemSize)
{
    Dims strides(shape.size(), 0);
    std::int64_t step = static_cast<std::int64_t>(itemSize);
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = step;
        // Unsigned: sizes that overflow are refused where the memory is asked for.
        step = static_cast<std::int64_t>(static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(shape[i]));
    }
    return strides;
}

bool View::isContiguous() const
{
    std::int64_t step = static_cast<std::int64_t>(sizeOf(dtype));
    for (int i = rank; i-- > 0;) {
        if (shape[i] == 0) return true;
        if (shape[i] != 1 && strides[i] != step) return false;
        step *= shape[i];
    }
    return true;
}

Tensor::Tensor(DType dtype, Dims shape, Dims strides, void *data, StorageRef storage)
    : m_dtype(dtype), m_shape(shape), m_strides(strides), m_data(data), m_storage(std::move(storage))
{}

Tensor Tensor::empty(DType dtype, const Dims &shape)
{
    const std::size_t bytes = checkedBytes(shape, dtype);
    StorageRef storage;
    try {
        storage = allocateStorage(bytes);
    } catch (const std::bad_alloc &) {
        throw TooLarge("there is not enough memory for an array of shape " + shape.text() + " and dtype " + std::string(nameOf(dtype)) +
                       " (" + std::to_string(bytes) + " bytes)");
    }
    void *data = storage->data();
    return {dtype, shape, contiguousStrides(shape, sizeOf(dtype)), data, std::move(storage)};
}

Tensor Tensor::zeros(DType dtype, const Dims &shape)
{
    Tensor result = empty(dtype, shape);
    std::memset(result.data(), 0, result.bytes());
    return result;
}

Tensor Tensor::full(DType dtype, const Dims &shape, double value)
{
    Tensor result = empty(dtype, shape);
    const std::int64_t count = result.size();
    withStorageType(dtype, [&]<class T>() {
        const T element = convertElement<T>(value);
        T *out = result.as<T>();
        for (std::int64_t i = 0; i < count; ++i) out[i] = element;
    });
    return result;
}

Tensor Tensor::scalarInt(DType dtype, std::int64_t value)
{
    Tensor result = empty(dtype, {});
    withStorageType(dtype, [&]<class T>() { *result.as<T>() = convertElement<T>(value); });
    return result;
}

Tensor Tensor::fromInts(std::span<const std::int64_t> values)
{
    Tensor result = empty(DType::Int64, {static_cast<std::int64_t>(values.size())});
    if (!values.empty()) std::memcpy(result.data(), values.data(), values.size_bytes());
    return result;
}

View Tensor::view() const { return {m_data, m_dtype, m_shape.rank(), m_shape.data(), m_strides.data()}; }

namespace {

char *address(const Tensor &tensor, std::int64_t flatIndex)
{
    auto *place = tensor.as<char>();
    for (int axis = tensor.rank(); axis-- > 0;) {
        const std::int64_t size = tensor.shape()[axis];
        place += (flatIndex % size) * tensor.strides()[axis];
        flatIndex /= size;
    }
    return place;
}

} // namespace

Tensor Tensor::converted(DType dtype) const
{
    Tensor result = empty(dtype, m_shape);
    copyConverted(view(), result.view());
    return result;
}

double Tensor::at(std::int64_t flatIndex) const
{
    return withStorageType(m_dtype, [&]<class T>() {
        T element;
        std::memcpy(&element, address(*this, flatIndex), sizeof(T));
        return convertElement<double>(element);
    });
}

std::int64_t Tensor::intAt(std::int64_t flatIndex) const
{
    return withStorageType(m_dtype, [&]<class T>() {
        T element;
        std::memcpy(&element, address(*this, flatIndex), sizeof(T));
        return convertElement<std::int64_t>(element);
    });
}

bool Tensor::isUniform() const
{
    if (device() != DeviceId::Host) return false; // nobody looks
    const std::int64_t count = size();
    if (count == 0) return false;
    const std::size_t width = sizeOf(m_dtype);
    const char *first = address(*this, 0);
    for (std::int64_t i = 1; i < count; ++i) {
        if (std::memcmp(first, address(*this, i), width) == 0) continue;
        if (std::isnan(at(0)) && std::isnan(at(i))) continue;
        return false;
    }
    return true;
}

bool Tensor::sameAs(const Tensor &other) const
{
    if (device() != DeviceId::Host || other.device() != DeviceId::Host)
        return m_data == other.m_data && m_dtype == other.m_dtype && m_shape == other.m_shape && m_strides == other.m_strides;
    if (m_dtype != other.m_dtype || !(m_shape == other.m_shape)) return false;
    if (m_data == other.m_data && m_strides == other.m_strides) return true;
    const Tensor a = isContiguous() ? *this : copy();
    const Tensor b = other.isContiguous() ? other : other.copy();
    return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

std::size_t Tensor::contentHash() const
{
    if (device() != DeviceId::Host) return std::hash<const void *>{}(m_data);
    const Tensor flat = isContiguous() ? *this : copy();
    const std::string_view bytes(flat.as<char>(), flat.bytes());
    std::size_t hash = std::hash<std::string_view>{}(bytes);
    for (std::int64_t size : m_shape) hash = hash * 1099511628211u + static_cast<std::size_t>(size);
    return hash * 31u + static_cast<std::size_t>(m_dtype);
}

bool Value::sameAs(const Value &other) const
{
    if (isTensor() != other.isTensor()) return false;
    if (isTensor()) return m_tensor.sameAs(other.m_tensor);
    if (!m_object || !other.m_object) return m_object == other.m_object;
    return m_object->equals(*other.m_object);
}

std::size_t Value::contentHash() const { return isTensor() ? m_tensor.contentHash() : 17u; }

std::string Value::text(std::size_t limit) const
{
    if (isTensor()) return m_tensor.text(limit);
    return m_object ? m_object->text().substr(0, limit) : "None";
}

} // namespace engine
