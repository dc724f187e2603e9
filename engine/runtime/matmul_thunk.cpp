#include "engine/runtime/matmul_thunk.h"

#include "engine/device/cpu/blas.h"
#include "engine/graph/errors.h"
#include "engine/runtime/convert.h"
#include "engine/runtime/registers.h"
#include "engine/runtime/rt/rt.h"
#include "engine/runtime/threads.h"

#include <complex>
#include <cstring>

namespace engine {
namespace {

constexpr std::int64_t kTinyProduct = 64; // multiply-adds below which a plain loop beats a call

constexpr std::int64_t kPartBytes = std::int64_t(1) << 20; // of a matrix whose rows are summed up …
constexpr std::int64_t kMostParts = 16, kLeastRows = 128;  // … in several sums

// Rows that are added into one sum before sums are added: depends on the matrix alone, so that any number of threads gives the
// same bits.
std::int64_t rowsSummedTogether(std::int64_t rows, std::int64_t bytesPerRow)
{
    const std::int64_t wanted = std::max({kPartBytes / std::max<std::int64_t>(bytesPerRow, 1), (rows + kMostParts - 1) / kMostParts, kLeastRows});
    return rows * 2 < wanted * 3 ? rows : (wanted + 7) / 8 * 8;
}

template <class T> inline constexpr bool kIsReal = std::is_floating_point_v<T>;

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

    T *data(void *const *slots) const
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
    int slot = -1;
    DType dtype = DType::Float64;
    T fixed = T(1);

    Scale(const Factor &factor) : fixed(static_cast<T>(factor.fixed))
    {
        if (!factor.operand) return;
        slot = factor.operand->slot;
        dtype = factor.operand->dtype;
    }
    T value(void *const *slots) const
    {
        if (slot < 0) return fixed;
        if (dtype == Matrix<T>::dtypeOf()) return *static_cast<const T *>(slots[slot]);
        return withStorageType(dtype, [&]<class S>() {
            S element;
            std::memcpy(&element, slots[slot], sizeof(S));
            return convertElement<T>(element);
        });
    }
};

View viewOf(const SlotOperand &operand, void *const *slots)
{
    return {slots[operand.slot], operand.dtype, operand.shape.rank(), operand.shape.data(), operand.strides.data()};
}

// Results that BLAS cannot write into are made in a temporary and copied over.
template <class T>
class GemmThunk final : public Thunk {
public:
    GemmThunk(const ProductSpec &spec, std::int64_t m, std::int64_t n, std::int64_t k)
        : m_m(m), m_n(n), m_k(k), m_a(*spec.a, m, k, spec.a->strides[0], spec.a->strides[1]),
          m_b(*spec.b, k, n, spec.b->strides[0], spec.b->strides[1]),
          m_c(*spec.out, m, n, spec.out->strides[0], spec.out->strides[1]), m_alpha(spec.alpha), m_beta(spec.beta), m_out(*spec.out)
    {
        if (spec.z) {
            m_z = *spec.z;
            m_copiesZ = spec.z->root < 0 || spec.z->root != spec.out->root;
        } else {
            m_beta = Scale<T>(Factor{nullptr, 0});
        }
        m_tiny = m * n * k <= kTinyProduct && !m_a.needsCopy() && !m_b.needsCopy() && !m_c.needsCopy();
    }

    bool callsLibrary() const override { return true; }
    void run(void *const *slots) override
    {
        if (m_m == 0 || m_n == 0) return;
        const T alpha = m_alpha.value(slots), beta = m_beta.value(slots);
        if (m_copiesZ && beta != T(0)) copyConverted(viewOf(m_z, slots), viewOf(m_out, slots));
        const T *a = m_a.data(slots), *b = m_b.data(slots);
        T *c = m_c.data(slots);
        if (m_tiny || m_k == 0) tiny(alpha, a, b, beta, c);
        else if (m_m * m_n * m_k >= kSharedProduct && canShare()) multiplyShared(alpha, a, b, beta, c);
        else multiply(alpha, a, b, beta, c, m_m, m_n);
        if (m_c.needsCopy()) {
            const Dims shape{m_m, m_n};
            const Dims strides = contiguousStrides(shape, sizeof(T));
            copyConverted({c, Matrix<T>::dtypeOf(), 2, shape.data(), strides.data()}, viewOf(m_out, slots));
        }
    }

private:
    void multiply(T alpha, const T *a, const T *b, T beta, T *c, std::int64_t rows, std::int64_t columns) const
    {
        if (!m_c.transposed())
            blas().of<T>().gemm(m_a.transposed(), m_b.transposed(), int(rows), int(columns), int(m_k), alpha, a, m_a.leading(), b,
                                m_b.leading(), beta, c, m_c.leading());
        else // cᵀ = bᵀ aᵀ
            blas().of<T>().gemm(!m_b.transposed(), !m_a.transposed(), int(columns), int(rows), int(m_k), alpha, b, m_b.leading(), a,
                                m_a.leading(), beta, c, m_c.leading());
    }

    // Stripes of the longer side of the result, as many as there are threads: each packs the other operand anew.
    void multiplyShared(T alpha, const T *a, const T *b, T beta, T *c) const
    {
        constexpr std::int64_t kStripe = 16;
        const bool byRows = m_m >= m_n;
        const std::int64_t size = byRows ? m_m : m_n, count = threads();
        const std::int64_t stripe = ((size + count - 1) / count + kStripe - 1) / kStripe * kStripe;
        sharePieces(size, stripe, [&](std::int64_t first, std::int64_t end) {
            if (byRows) multiply(alpha, a + first * m_a.rowStep(), b, beta, c + first * m_c.rowStep(), end - first, m_n);
            else multiply(alpha, a, b + first * m_b.columnStep(), beta, c + first * m_c.columnStep(), m_m, end - first);
        });
    }

    void tiny(T alpha, const T *a, const T *b, T beta, T *c) const
    {
        for (std::int64_t i = 0; i < m_m; ++i)
            for (std::int64_t j = 0; j < m_n; ++j) {
                T sum = T(0);
                for (std::int64_t p = 0; p < m_k; ++p)
                    sum += a[i * m_a.rowStep() + p * m_a.columnStep()] * b[p * m_b.rowStep() + j * m_b.columnStep()];
                T &out = c[i * m_c.rowStep() + j * m_c.columnStep()];
                out = beta == T(0) ? alpha * sum : alpha * sum + beta * out;
            }
    }

    std::int64_t m_m, m_n, m_k;
    Matrix<T> m_a, m_b, m_c;
    Scale<T> m_alpha, m_beta;
    SlotOperand m_out, m_z;
    bool m_copiesZ = false, m_tiny = false;
};

template <class T>
class GemvThunk final : public Thunk, private RowWork {
public:
    /// out (m) = beta·z + alpha·op(a) x (n); `transpose`: x stands on the left of a.
    GemvThunk(const ProductSpec &spec, const SlotOperand &a, const SlotOperand &x, bool transpose, std::int64_t m, std::int64_t n)
        : m_m(m), m_n(n),
          m_a(a, m, n, transpose ? a.strides[1] : a.strides[0], transpose ? a.strides[0] : a.strides[1], transpose), m_x(x, n, 1, x.strides[0], 0),
          m_alpha(spec.alpha), m_beta(spec.beta), m_out(*spec.out)
    {
        if (spec.z) {
            m_z = *spec.z;
            m_copiesZ = spec.z->root < 0 || spec.z->root != spec.out->root;
        } else {
            m_beta = Scale<T>(Factor{nullptr, 0});
        }
        constexpr auto width = static_cast<std::int64_t>(sizeof(T));
        m_outStep = m <= 1 ? 1 : m_out.strides[0] / width;
        m_viaTemporary = m_out.dtype != Matrix<T>::dtypeOf() || (m > 1 && (m_out.strides[0] % width != 0 || m_outStep < 1));
        if (m_viaTemporary) {
            m_temporary = Tensor::empty(Matrix<T>::dtypeOf(), m_out.shape);
            m_outStep = 1;
        }
        m_xStep = n <= 1 || m_x.needsCopy() ? 1 : m_x.rowStep();
        // Matrix's idea of a copied a is for its own shape; x as a column is contiguous after a copy.
        if (m_a.transposed()) m_part = rowsSummedTogether(n, m * width);
    }

    bool callsLibrary() const override { return true; }
    void run(void *const *slots) override
    {
        if (m_m == 0) return;
        const T alpha = m_alpha.value(slots), beta = m_beta.value(slots);
        T *y = static_cast<T *>(slots[m_out.slot]);
        if (m_viaTemporary) {
            y = m_temporary.template as<T>();
            if (beta != T(0)) copyConverted(viewOf(m_z.shape.empty() ? m_out : m_z, slots), m_temporary.view());
        } else if (m_copiesZ && beta != T(0)) {
            copyConverted(viewOf(m_z, slots), viewOf(m_out, slots));
        }
        const T *a = m_a.data(slots), *x = m_x.data(slots);
        if (m_n == 0) {
            scale(y, beta);
        } else if constexpr (kIsReal<T>) {
            if (m_xStep == 1 && m_outStep == 1) {
                scale(y, beta);
                if (rows() * static_cast<std::int64_t>(bytesPerRow()) >= kSharedBytes && canShare()) ownShared(alpha, a, x, y);
                else ownAll(alpha, m_m, a, x, y);
            } else {
                viaBlas(alpha, a, x, beta, y);
            }
        } else {
            viaBlas(alpha, a, x, beta, y);
        }
        if (m_viaTemporary) copyConverted(m_temporary.view(), viewOf(m_out, slots));
    }

    RowWork *byRows() override
    {
        const bool plain = kIsReal<T> && m_m > 0 && m_n > 0 && m_xStep == 1 && m_outStep == 1 && !m_viaTemporary && !m_a.needsCopy() &&
                           !m_x.needsCopy();
        return plain ? this : nullptr;
    }

private:
    // Rows of the matrix as it lies in memory: results of a·x, or what aᵀ·x adds up. Such a sum is made aside, since its
    // place may be read by others of the group until the end.
    std::int64_t rows() const override { return m_a.transposed() ? m_n : m_m; }
    std::size_t bytesPerRow() const override { return static_cast<std::size_t>(m_a.transposed() ? m_m : m_n) * sizeof(T); }

    void beginRows(void *const *slots) override
    {
        m_pass = {m_alpha.value(slots), m_a.data(slots), m_x.data(slots), static_cast<T *>(slots[m_out.slot]), ownLoop()};
        const T beta = m_beta.value(slots);
        T *y = m_pass.y;
        if (m_copiesZ && beta != T(0)) copyConverted(viewOf(m_z, slots), viewOf(m_out, slots));
        if (m_a.transposed()) {
            constexpr std::int64_t line = 64 / sizeof(T);
            if (!m_sums.valid()) m_sums = Tensor::empty(Matrix<T>::dtypeOf(), {(m_n + m_part - 1) / m_part, (m_m + line - 1) / line * line + line});
            m_sumsShift = reinterpret_cast<std::uintptr_t>(m_pass.a) / sizeof(T) % line;
            if (beta != T(0)) std::copy(y, y + m_m, sumOf(0));
            y = sumOf(0);
            if (m_part >= m_n) m_pass.y = y;
        }
        scale(y, beta);
    }

    std::int64_t rowsOfPart() const override { return m_a.transposed() ? m_part : 1; }
    T *sumOf(std::int64_t part) const { return m_sums.template as<T>() + part * m_sums.shape()[1] + m_sumsShift; }

    // Mostly eight rows: what stands before and behind the loops shows.
    void runRows(void *const *, std::int64_t first, std::int64_t count) override
    {
        const Pass &pass = m_pass;
        const std::int64_t lda = m_a.leading();
        if (!m_a.transposed()) return pass.loop(count, m_n, pass.alpha, pass.a + first * lda, lda, pass.x, pass.y + first);
        if (m_part >= m_n) return pass.loop(count, m_m, pass.alpha, pass.a + first * lda, lda, pass.x + first, pass.y);
        for (std::int64_t end; count > 0; count -= end - first, first = end) {
            const std::int64_t part = first / m_part;
            end = std::min(first + count, (part + 1) * m_part);
            if (part > 0 && first % m_part == 0) std::fill(sumOf(part), sumOf(part) + m_m, T(0));
            pass.loop(end - first, m_m, pass.alpha, pass.a + first * lda, lda, pass.x + first, sumOf(part));
        }
    }

    void endRows(void *const *slots) override
    {
        if (!m_a.transposed()) return;
        for (std::int64_t part = 1; part < m_sums.shape()[0]; ++part) addTo(sumOf(0), sumOf(part), m_m);
        std::copy(sumOf(0), sumOf(0) + m_m, static_cast<T *>(slots[m_out.slot]));
    }

    static void addTo(T *y, const T *part, std::int64_t n)
    {
        for (std::int64_t i = 0; i < n; ++i) y[i] += part[i];
    }

    void scale(T *y, T beta) const
    {
        if (beta == T(1)) return;
        for (std::int64_t i = 0; i < m_m; ++i) y[i * m_outStep] = beta == T(0) ? T(0) : y[i * m_outStep] * beta;
    }

    /// All rows of the matrix as it lies in memory, or `results` columns of them.
    void ownAll(T alpha, std::int64_t results, const T *a, const T *x, T *y) const
    {
        if (!m_a.transposed()) return own(alpha, results, m_n, a, x, y);
        own(alpha, std::min(m_part, m_n), results, a, x, y);
        if (m_part >= m_n) return;
        T *sum = static_cast<T *>(threadScratch(static_cast<std::size_t>(results) * sizeof(T)));
        for (std::int64_t first = m_part; first < m_n; first += m_part) {
            std::fill(sum, sum + results, T(0));
            own(alpha, std::min(m_part, m_n - first), results, a + first * m_a.leading(), x + first, sum);
            addTo(y, sum, results);
        }
    }

    using Loop = void (*)(long rows, long columns, T alpha, const T *a, long lda, const T *x, T *y);
    Loop ownLoop() const
    {
        const RtTable *rt = rt_table();
        if constexpr (std::is_same_v<T, float>) return m_a.transposed() ? rt->gemvTransposedF32 : rt->gemvF32;
        else if constexpr (std::is_same_v<T, double>) return m_a.transposed() ? rt->gemvTransposedF64 : rt->gemvF64;
        else return nullptr;
    }
    void own(T alpha, std::int64_t rows, std::int64_t columns, const T *a, const T *x, T *y) const
    {
        if constexpr (kIsReal<T>) ownLoop()(rows, columns, alpha, a, m_a.leading(), x, y);
    }

    // Results are parted, never sums: the same bits for any number of threads. Rows by eights, as one thread takes them.
    void ownShared(T alpha, const T *a, const T *x, T *y) const
    {
        const bool t = m_a.transposed();
        const std::int64_t unit = t ? 256 : 8;
        const std::int64_t piece = ((m_m + 2 * threads() - 1) / (2 * threads()) + unit - 1) / unit * unit;
        sharePieces(m_m, piece, [&](std::int64_t first, std::int64_t end) {
            ownAll(alpha, end - first, t ? a + first : a + first * m_a.leading(), x, y + first);
        });
    }

    void viaBlas(T alpha, const T *a, const T *x, T beta, T *y) const
    {
        const bool t = m_a.transposed();
        blas().of<T>().gemv(t, int(t ? m_n : m_m), int(t ? m_m : m_n), alpha, a, m_a.leading(), x, int(m_xStep), beta, y, int(m_outStep));
    }

    std::int64_t m_m, m_n;
    Matrix<T> m_a, m_x;
    Scale<T> m_alpha, m_beta;
    SlotOperand m_out, m_z;
    Tensor m_temporary;
    std::int64_t m_xStep = 1, m_outStep = 1;
    bool m_copiesZ = false, m_viaTemporary = false;
    std::int64_t m_part = 0; // rows that are added into one sum
    Tensor m_sums;           // of a pass by rows: a sum a part …
    std::int64_t m_sumsShift = 0; // … each as far into its cache line as the matrix is
    struct Pass {
        T alpha;
        const T *a, *x;
        T *y;
        Loop loop;
    } m_pass{}; // set when one begins
};

template <class T>
class InnerThunk final : public Thunk {
public:
    InnerThunk(const ProductSpec &spec, std::int64_t n)
        : m_n(n), m_x(*spec.a, n, 1, spec.a->strides[0], 0), m_y(*spec.b, n, 1, spec.b->strides[0], 0), m_alpha(spec.alpha), m_out(*spec.out)
    {
    }
    bool callsLibrary() const override { return true; }
    void run(void *const *slots) override
    {
        const T *x = m_x.data(slots), *y = m_y.data(slots);
        const int stepX = m_n > 1 && !m_x.needsCopy() ? int(m_x.rowStep()) : 1, stepY = m_n > 1 && !m_y.needsCopy() ? int(m_y.rowStep()) : 1;
        T value = m_n ? blas().of<T>().dot(int(m_n), x, stepX, y, stepY) : T(0);
        value *= m_alpha.value(slots);
        if (m_out.dtype == Matrix<T>::dtypeOf()) *static_cast<T *>(slots[m_out.slot]) = value;
        else copyConverted({&value, Matrix<T>::dtypeOf(), 0, nullptr, nullptr}, viewOf(m_out, slots));
    }

private:
    std::int64_t m_n;
    Matrix<T> m_x, m_y;
    Scale<T> m_alpha;
    SlotOperand m_out;
};

template <class T>
class GerThunk final : public Thunk {
public:
    GerThunk(const SlotOperand &a, const Factor &alpha, const SlotOperand &x, const SlotOperand &y, const SlotOperand &out)
        : m_x(x, x.shape[0], 1, x.strides[0], 0), m_y(y, y.shape[0], 1, y.strides[0], 0),
          m_c(out, x.shape[0], y.shape[0], out.strides[0], out.strides[1]), m_alpha(alpha), m_a(a), m_out(out),
          m_copiesA(a.root < 0 || a.root != out.root)
    {
    }
    bool callsLibrary() const override { return true; }
    void run(void *const *slots) override
    {
        const std::int64_t m = m_out.shape[0], n = m_out.shape[1];
        if (m == 0 || n == 0) return;
        if (m_copiesA) copyConverted(viewOf(m_a, slots), viewOf(m_out, slots));
        const T *x = m_x.data(slots), *y = m_y.data(slots);
        T *c = m_c.data(slots);
        const int stepX = m > 1 && !m_x.needsCopy() ? int(m_x.rowStep()) : 1, stepY = n > 1 && !m_y.needsCopy() ? int(m_y.rowStep()) : 1;
        if (m_c.transposed()) blas().of<T>().ger(int(n), int(m), m_alpha.value(slots), y, stepY, x, stepX, c, m_c.leading());
        else blas().of<T>().ger(int(m), int(n), m_alpha.value(slots), x, stepX, y, stepY, c, m_c.leading());
        if (m_c.needsCopy()) {
            const Dims strides = contiguousStrides(m_out.shape, sizeof(T));
            copyConverted({c, Matrix<T>::dtypeOf(), 2, m_out.shape.data(), strides.data()}, viewOf(m_out, slots));
        }
    }

private:
    Matrix<T> m_x, m_y, m_c;
    Scale<T> m_alpha;
    SlotOperand m_a, m_out;
    bool m_copiesA;
};

// Integers (64 bits, wrapping) and bool: both operands as contiguous int64, a plain loop.
class IntegerProductThunk final : public Thunk {
public:
    IntegerProductThunk(const ProductSpec &spec, std::int64_t m, std::int64_t n, std::int64_t k)
        : m_m(m), m_n(n), m_k(k), m_a(*spec.a), m_b(*spec.b), m_out(*spec.out), m_left(Tensor::empty(DType::Int64, spec.a->shape)),
          m_right(Tensor::empty(DType::Int64, spec.b->shape)), m_result(Tensor::empty(DType::Int64, spec.out->shape))
    {
    }
    void run(void *const *slots) override
    {
        copyConverted(viewOf(m_a, slots), m_left.view());
        copyConverted(viewOf(m_b, slots), m_right.view());
        const auto *a = m_left.as<std::uint64_t>(), *b = m_right.as<std::uint64_t>();
        auto *c = m_result.as<std::uint64_t>();
        for (std::int64_t i = 0; i < m_m; ++i) {
            std::fill(c + i * m_n, c + (i + 1) * m_n, 0);
            for (std::int64_t p = 0; p < m_k; ++p)
                for (std::int64_t j = 0; j < m_n; ++j) c[i * m_n + j] += a[i * m_k + p] * b[p * m_n + j];
        }
        copyConverted(m_result.view(), viewOf(m_out, slots));
    }

private:
    std::int64_t m_m, m_n, m_k;
    SlotOperand m_a, m_b, m_out;
    Tensor m_left, m_right, m_result;
};

[[noreturn]] void mismatch(const SlotOperand &a, const SlotOperand &b)
{
    const auto text = [](const SlotOperand &o, const char *name, bool left) {
        if (o.shape.rank() == 1) return std::string(name) + " has " + std::to_string(o.shape[0]) + " elements";
        const std::string rows = std::to_string(o.shape[0]) + " rows", columns = std::to_string(o.shape[1]) + " cols";
        return std::string(name) + " has " + (left ? columns + " (and " + rows + ")" : rows + " (and " + columns + ")");
    };
    throw ShapeMismatch("Shape mismatch: " + text(a, "x", true) + " but " + text(b, "y", false));
}

template <class T>
std::unique_ptr<Thunk> makeProduct(const ProductSpec &spec, std::int64_t m, std::int64_t n, std::int64_t k)
{
    const int ra = spec.a->shape.rank(), rb = spec.b->shape.rank();
    if (ra == 1 && rb == 1) return std::make_unique<InnerThunk<T>>(spec, k);
    if (rb == 1) return std::make_unique<GemvThunk<T>>(spec, *spec.a, *spec.b, false, m, k);
    if (ra == 1) return std::make_unique<GemvThunk<T>>(spec, *spec.b, *spec.a, true, n, k);
    return std::make_unique<GemmThunk<T>>(spec, m, n, k);
}

} // namespace

std::unique_ptr<Thunk> productThunk(const ProductSpec &spec)
{
    const Dims &a = spec.a->shape, &b = spec.b->shape;
    const std::int64_t m = a.rank() == 2 ? a[0] : 1, k = a[a.size() - 1], n = b.rank() == 2 ? b[1] : 1;
    if (k != b[0]) mismatch(*spec.a, *spec.b);
    Dims wanted;
    if (a.rank() == 2) wanted.push_back(m);
    if (b.rank() == 2) wanted.push_back(n);
    if (spec.z && !(spec.z->shape == wanted)) {
        // gemv's messages name the vector y, gemm's the matrix z.
        if (wanted.rank() == 1)
            throw ShapeMismatch("Shape mismatch: A.shape[0] != y.shape[0]: A is " + a.text() + ", y is " + spec.z->shape.text());
        throw ShapeMismatch("Shape mismatch: the product of shapes " + a.text() + " and " + b.text() + " cannot be added to z of shape " +
                            spec.z->shape.text());
    }
    switch (spec.out->dtype) {
    case DType::Float16:
    case DType::Float32: return makeProduct<float>(spec, m, n, k);
    case DType::Float64: return makeProduct<double>(spec, m, n, k);
    case DType::Complex64: return makeProduct<std::complex<float>>(spec, m, n, k);
    case DType::Complex128: return makeProduct<std::complex<double>>(spec, m, n, k);
    default: return std::make_unique<IntegerProductThunk>(spec, m, n, k);
    }
}

std::unique_ptr<Thunk> outerThunk(const SlotOperand &a, const Factor &alpha, const SlotOperand &x, const SlotOperand &y, const SlotOperand &out)
{
    if (a.shape[0] != x.shape[0])
        throw ShapeMismatch("Shape mismatch: A.shape[0] != x.shape[0]: A is " + a.shape.text() + ", x is " + x.shape.text());
    if (a.shape[1] != y.shape[0])
        throw ShapeMismatch("Shape mismatch: A.shape[1] != y.shape[0]: A is " + a.shape.text() + ", y is " + y.shape.text());
    switch (out.dtype) {
    case DType::Float32: return std::make_unique<GerThunk<float>>(a, alpha, x, y, out);
    case DType::Float64: return std::make_unique<GerThunk<double>>(a, alpha, x, y, out);
    case DType::Complex64: return std::make_unique<GerThunk<std::complex<float>>>(a, alpha, x, y, out);
    case DType::Complex128: return std::make_unique<GerThunk<std::complex<double>>>(a, alpha, x, y, out);
    default: throw TypeMismatch("[ger] has no BLAS function for " + std::string(nameOf(out.dtype)));
    }
}

} // namespace engine
