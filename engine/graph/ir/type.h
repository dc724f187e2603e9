// The type of a variable: dtype, static shape and whose memory, interned, so that a Type is one pointer.
#pragma once

#include "engine/tensor/tensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

enum class TypeKind : std::uint8_t {
    Tensor,
    Generic,      ///< any object of the host language
    None,         ///< the constant None
    Slice,        ///< a slice object
    RandomState,  ///< state of a random generator
    Disconnected, ///< "the cost does not depend on this" (gradients only)
    Null,         ///< "this gradient is undefined because …" (gradients only)
};

/// A size that is known only at run time.
inline constexpr std::int64_t kUnknownDim = -1;

struct TypeData;

/// Equality looks at kind, dtype, broadcast pattern and device only, as in Theano; known sizes other than 1 are hints.
class Type {
public:
    Type() : m_data(nullptr) {}

    static Type tensor(DType dtype, std::span<const std::int64_t> staticShape, DeviceId device = DeviceId::Host);
    /// Every true becomes a known size of 1, every false an unknown size.
    static Type broadcastable(DType dtype, const std::vector<bool> &pattern);
    static Type ofRank(DType dtype, int rank);
    static Type scalar(DType dtype) { return ofRank(dtype, 0); }
    static Type plain(TypeKind kind);
    static Type null(const std::string &why);

    bool valid() const { return m_data != nullptr; }
    TypeKind kind() const;
    bool isTensor() const { return kind() == TypeKind::Tensor; }
    /// A tensor of real or complex numbers: what has gradients.
    bool isContinuous() const { return isTensor() && engine::isContinuous(dtype()); }
    DType dtype() const;
    DeviceId device() const;
    int rank() const;
    std::span<const std::int64_t> shape() const;
    bool isBroadcastable(int axis) const { return shape()[axis] == 1; }
    std::vector<bool> pattern() const;
    /// Why a Null type is undefined.
    const std::string &reason() const;

    Type withDType(DType dtype) const;
    Type withShape(std::span<const std::int64_t> staticShape) const;
    Type on(DeviceId device) const;

    /// "TensorType(float64, matrix)", the text that Theano prints.
    const std::string &text() const;
    /// The same with known sizes: "float64 (400, ?)".
    std::string detailedText() const;

    /// Same content including the hints.
    bool identical(Type other) const { return m_data == other.m_data; }
    friend bool operator==(Type a, Type b);
    std::size_t hash() const;

    /// May a variable of this type stand where `wanted` is expected (same dtype and rank, at least as broadcastable)?
    bool convertibleTo(Type wanted) const;

private:
    explicit Type(const TypeData *data) : m_data(data) {}
    const TypeData *m_data;
};

} // namespace engine
