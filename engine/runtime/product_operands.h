// What products take: matrices as BLAS wants them, factors, plain views.
#pragma once

#include "engine/runtime/matmul_thunk.h"
#include "engine/tensor/convert.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

namespace engine::products {

template <class T>
inline constexpr bool kIsReal = std::is_floating_point_v<T>;

/// May a library multiply by `factor` where it likes? With 0 it leaves the product out, and its nan and inf with it; inf times an
/// operand's 0 is nan where inf times the product is not.
template <class T>
bool isOrdinary(T factor)
{
    if constexpr (kIsReal<T>) return factor != T(0) && std::isfinite(factor);
    else return factor != T(0) && std::isfinite(factor.real()) && std::isfinite(factor.imag());
}

// An operand of BLAS: memory of the thunk's dtype with one contiguous axis; copied there on each run if need be.
template <class T>
class Matrix {
public:
    Matrix() = default;
    Matrix(const SlotOperand &operand, std::int64_t rows, std::int64_t columns, std::int64_t rowStep, std::int64_t columnStep,
           bool flipped = false)
        : m_operand(operand), m_rows(rows), m_columns(columns)
    {
        constexpr auto width = static_cast<std::int64_t>(sizeof(T));
        m_needsCopy = operand.dtype != dtypeOf() || rowStep % width != 0 || columnStep % width != 0;
        m_rowStep = rowStep / width;
        m_columnStep = columnStep / width;
        if (!m_needsCopy && !settle()) m_needsCopy = true;
        if (!m_needsCopy) return;
        m_copy = Tensor::empty(dtypeOf(), operand.shape);
        // `flipped`: rows and columns are those of the operand's transpose.
        m_rowStep = flipped ? 1 : columns;
        m_columnStep = flipped ? rows : 1;
        settle();
    }

    static DType dtypeOf()
    {
        if constexpr (std::is_same_v<T, float>) return DType::Float32;
        else if constexpr (std::is_same_v<T, double>) return DType::Float64;
        else if constexpr (std::is_same_v<T, std::complex<float>>) return DType::Complex64;
        else return DType::Complex128;
    }

    T *data(Slots slots) const
    {
        void *memory = slots[m_operand.slot];
        if (!m_needsCopy) return static_cast<T *>(memory);
        copyConverted({memory, m_operand.dtype, m_operand.shape.rank(), m_operand.shape.data(), m_operand.strides.data()}, m_copy.view());
        return static_cast<T *>(m_copy.data());
    }
    bool needsCopy() const { return m_needsCopy; }
    /// Stored column by column: row-major BLAS sees its transpose.
    bool transposed() const { return m_transposed; }
    int leading() const { return m_leading; }
    std::int64_t rowStep() const { return m_rowStep; }
    std::int64_t columnStep() const { return m_columnStep; }

private:
    bool settle()
    {
        const std::int64_t limit = 0x7fffffff;
        if (m_rows > limit || m_columns > limit) return false;
        if ((m_columns <= 1 || m_columnStep == 1) && (m_rows <= 1 || m_rowStep >= std::max<std::int64_t>(m_columns, 1))) {
            const std::int64_t leading = m_rows <= 1 ? std::max<std::int64_t>(m_columns, 1) : m_rowStep;
            m_transposed = false;
            m_leading = static_cast<int>(leading);
            return leading <= limit;
        }
        if ((m_rows <= 1 || m_rowStep == 1) && (m_columns <= 1 || m_columnStep >= std::max<std::int64_t>(m_rows, 1))) {
            const std::int64_t leading = m_columns <= 1 ? std::max<std::int64_t>(m_rows, 1) : m_columnStep;
            m_transposed = true;
            m_leading = static_cast<int>(leading);
            return leading <= limit;
        }
        return false;
    }

    SlotOperand m_operand;
    std::int64_t m_rows = 0, m_columns = 0;
    std::int64_t m_rowStep = 0, m_columnStep = 0; // elements
    bool m_needsCopy = false, m_transposed = false;
    int m_leading = 1;
    Tensor m_copy;
};

template <class T>
struct Scale {
    Slot slot = kNoSlot;
    DType dtype = DType::Float64;

    Scale(const Factor &factor)
    {
        if (!factor.operand) return;
        slot = factor.operand->slot;
        dtype = factor.operand->dtype;
    }
    T value(Slots slots) const
    {
        if (slot == kNoSlot) return T(1);
        if (dtype == Matrix<T>::dtypeOf()) return *static_cast<const T *>(slots[slot]);
        return withStorageType(dtype, [&]<class S>() {
            S element;
            std::memcpy(&element, slots[slot], sizeof(S));
            return convertElement<T>(element);
        });
    }
};

} // namespace engine::products
