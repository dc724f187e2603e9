// What products take: matrices as BLAS wants them, factors, plain views.
#pragma once

#include "engine/runtime/thunks/matmul_thunk.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

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

/// The largest size, step or leading dimension that a call of BLAS is given. A test sets a smaller one to see what becomes of arrays that
/// exceed it.
inline std::int64_t g_blasLimit = 0x7fffffff;

/// Elements of a matrix or a vector between two looks for an interrupt.
inline constexpr std::int64_t kVectorAtOnce = 1 << 26;

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
        m_rowStep = rowStep / width;
        m_columnStep = columnStep / width;
        const bool isOurs = operand.dtype == dtypeOf() && rowStep % width == 0 && columnStep % width == 0;
        // Where rows are so long that those of a copy would lie as far apart, nothing is copied for that.
        m_needsCopy = !isOurs || !settle((flipped ? rows : columns) > g_blasLimit ? kAnyDistance : g_blasLimit);
        if (!m_needsCopy) return;
        m_copy = Tensor::empty(dtypeOf(), operand.shape);
        // `flipped`: rows and columns are those of the operand's transpose.
        m_rowStep = flipped ? 1 : std::max<std::int64_t>(columns, 1);
        m_columnStep = flipped ? std::max<std::int64_t>(rows, 1) : 1;
        const bool isSettled = settle(kAnyDistance);
        ENGINE_ASSERT(isSettled, "a dense copy is no operand of BLAS");
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
    std::int64_t leading() const { return m_leading; }
    /// BLAS cannot step from one row to the next one (or column, if it is transposed): it takes them one by one.
    bool isFar() const { return m_leading > g_blasLimit; }
    std::int64_t rowStep() const { return m_rowStep; }
    std::int64_t columnStep() const { return m_columnStep; }

private:
    static constexpr std::int64_t kAnyDistance = std::numeric_limits<std::int64_t>::max();

    // Only one row, or column: the next one lies anywhere.
    bool settle(std::int64_t limit = g_blasLimit)
    {
        if ((m_columns <= 1 || m_columnStep == 1) && (m_rows <= 1 || m_rowStep >= std::max<std::int64_t>(m_columns, 1))) {
            m_transposed = false;
            m_leading = m_rows <= 1 ? std::max<std::int64_t>(std::min(m_columns, g_blasLimit), 1) : m_rowStep;
            return m_leading <= limit;
        }
        if ((m_rows <= 1 || m_rowStep == 1) && (m_columns <= 1 || m_columnStep >= std::max<std::int64_t>(m_rows, 1))) {
            m_transposed = true;
            m_leading = m_columns <= 1 ? std::max<std::int64_t>(std::min(m_rows, g_blasLimit), 1) : m_columnStep;
            return m_leading <= limit;
        }
        return false;
    }

    SlotOperand m_operand;
    std::int64_t m_rows = 0, m_columns = 0;
    std::int64_t m_rowStep = 0, m_columnStep = 0; // elements
    bool m_needsCopy = false, m_transposed = false;
    std::int64_t m_leading = 1;
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
