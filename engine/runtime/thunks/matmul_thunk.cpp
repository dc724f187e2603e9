#include "engine/runtime/thunks/matmul_thunk.h"

#include "engine/device/cpu/blas.h"
#include "engine/rt/rt.h"
#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/gemv_thunk.h"
#include "engine/runtime/thunks/product_operands.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

using namespace products;

constexpr std::int64_t kTinyProduct = 64; // multiply-adds below which a plain loop beats a call
constexpr std::int64_t kStripe = 16;      // rows or columns of a result come in multiples of it
/// Multiply-adds between two looks for an interrupt, times the size of an element.
constexpr double kMostAtOnce = 8e9;

/// How large the parts of a product are that one call of BLAS makes: what the caller of the function waits for at most when it is to
/// end, and what BLAS can count.
struct Tile {
    std::int64_t rows, columns, inner;

    Tile(std::int64_t m, std::int64_t n, std::int64_t k, double most) : rows(m), columns(n), inner(k)
    {
        constexpr std::int64_t kLeast = 256, kLeastInner = 768; // BLAS itself goes by a part of the latter
        if (static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > most) {
            // The inner size first: BLAS packs no operand again for that. Then what is nearest to a square, which packs least.
            const double area = most / static_cast<double>(std::min(k, kLeastInner));
            const auto cut = [&](std::int64_t &side, std::int64_t other) {
                const auto fitting = static_cast<std::int64_t>(std::max(area / static_cast<double>(other), std::sqrt(area)));
                if (fitting < side) side = std::min(side, std::max(fitting / kStripe * kStripe, kLeast));
            };
            std::int64_t &longer = m >= n ? rows : columns, &shorter = m >= n ? columns : rows;
            cut(longer, shorter);
            cut(shorter, longer);
            const double fitting = most / (static_cast<double>(rows) * static_cast<double>(columns));
            inner = std::min(inner, std::max(static_cast<std::int64_t>(std::min(fitting, 1e15)) / kLeastInner * kLeastInner, kLeastInner));
        }
        rows = std::min(rows, g_blasLimit);
        columns = std::min(columns, g_blasLimit);
        inner = std::min(inner, g_blasLimit);
    }
};

// Results that BLAS cannot write into are made in a temporary and copied over.
template <class T>
class GemmThunk final : public Thunk {
public:
    GemmThunk(const ProductSpec &spec, std::int64_t m, std::int64_t n, std::int64_t k)
        : m_m(m), m_n(n), m_k(k), m_a(*spec.a, m, k, spec.a->strides[0], spec.a->strides[1]),
          m_b(*spec.b, k, n, spec.b->strides[0], spec.b->strides[1]), m_c(*spec.out, m, n, spec.out->strides[0], spec.out->strides[1]),
          m_alpha(spec.alpha), m_beta(spec.beta), m_out(*spec.out), m_tile(m, n, k, kMostAtOnce / sizeof(T))
    {
        if (spec.z) {
            m_z = *spec.z;
            m_readsZ = true;
            m_copiesZ = spec.z->root == kNoSlot || spec.z->root != spec.out->root;
        }
        m_tiny = m * n * k <= kTinyProduct && !m_a.needsCopy() && !m_b.needsCopy() && !m_c.needsCopy();
        if (!m_c.transposed()) prepareProduct<T>(m_a.transposed(), m_b.transposed(), m, n, k, m_readsZ);
        else prepareProduct<T>(!m_b.transposed(), !m_a.transposed(), n, m, k, m_readsZ);
        if (m_a.isFar()) (m_a.transposed() ? m_tile.inner : m_tile.rows) = 1;
        if (m_b.isFar()) (m_b.transposed() ? m_tile.columns : m_tile.inner) = 1;
        if (m_c.isFar()) (m_c.transposed() ? m_tile.columns : m_tile.rows) = 1;
    }

    bool callsLibrary() const override { return true; }
    void run(Slots slots) override
    {
        if (m_m == 0 || m_n == 0) return;
        const T alpha = m_alpha.value(slots), beta = m_readsZ ? m_beta.value(slots) : T(0);
        if (m_copiesZ) copyConverted(viewOf(m_z, slots), viewOf(m_out, slots));
        const T *a = m_a.data(slots), *b = m_b.data(slots);
        T *c = m_c.data(slots);
        if (m_tiny || m_k == 0) tiny(alpha, a, b, beta, c);
        else if (!isOrdinary(alpha) || (m_readsZ && beta == T(0))) multiplyApart(alpha, a, b, beta, c);
        else multiplyAll(alpha, a, b, beta, c);
        if (m_c.needsCopy()) {
            const Dims shape{m_m, m_n};
            const Dims strides = contiguousStrides(shape, sizeof(T));
            copyConverted({c, Matrix<T>::dtypeOf(), 2, shape.data(), strides.data()}, viewOf(m_out, slots));
        }
    }

private:
    void multiplyAll(T alpha, const T *a, const T *b, T beta, T *c) const
    {
        if (m_m * m_n * m_k >= kSharedProduct && canShare()) multiplyShared(alpha, a, b, beta, c);
        else multiply(alpha, a, b, beta, c, m_m, m_n);
    }

    // The bare product beside c, in the same layout.
    void multiplyApart(T alpha, const T *a, const T *b, T beta, T *c) const
    {
        const std::int64_t length = m_c.transposed() ? m_m : m_n;
        const Tensor product = Tensor::empty(Matrix<T>::dtypeOf(), {m_c.transposed() ? m_n : m_m, std::max(m_c.leading(), length)});
        T *p = product.as<T>();
        multiplyAll(T(1), a, b, T(0), p);
        for (std::int64_t i = 0; i < m_m; ++i)
            for (std::int64_t j = 0; j < m_n; ++j) {
                const std::int64_t at = i * m_c.rowStep() + j * m_c.columnStep();
                c[at] = m_readsZ ? alpha * p[at] + beta * c[at] : alpha * p[at];
            }
    }

    // Part by part. Where the inner size is cut, too, parts are added up.
    void multiply(T alpha, const T *a, const T *b, T beta, T *c, std::int64_t rows, std::int64_t columns) const
    {
        for (std::int64_t i = 0; i < rows; i += m_tile.rows)
            for (std::int64_t j = 0; j < columns; j += m_tile.columns)
                for (std::int64_t p = 0; p < m_k; p += m_tile.inner) {
                    if (i + j + p > 0) checkInterrupt();
                    multiplyTile(alpha, a + i * m_a.rowStep() + p * m_a.columnStep(), b + p * m_b.rowStep() + j * m_b.columnStep(),
                                 p == 0 ? beta : T(1), c + i * m_c.rowStep() + j * m_c.columnStep(),
                                 narrow(std::min(m_tile.rows, rows - i)), narrow(std::min(m_tile.columns, columns - j)),
                                 narrow(std::min(m_tile.inner, m_k - p)));
                }
    }

    void multiplyTile(T alpha, const T *a, const T *b, T beta, T *c, int rows, int columns, int inner) const
    {
        const int lda = leading(m_a), ldb = leading(m_b), ldc = leading(m_c);
        if (!m_c.transposed())
            blas().of<T>().gemm(m_a.transposed(), m_b.transposed(), rows, columns, inner, alpha, a, lda, b, ldb, beta, c, ldc);
        else // cᵀ = bᵀ aᵀ
            blas().of<T>().gemm(!m_b.transposed(), !m_a.transposed(), columns, rows, inner, alpha, b, ldb, a, lda, beta, c, ldc);
    }

    static int narrow(std::int64_t size) { return static_cast<int>(size); } // a tile's
    /// Of a part: a far one has one row.
    static int leading(const Matrix<T> &matrix) { return narrow(std::min(matrix.leading(), g_blasLimit)); }

    // Stripes of the longer side of the result, as many as there are threads: each packs the other operand anew.
    void multiplyShared(T alpha, const T *a, const T *b, T beta, T *c) const
    {
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
                out = m_readsZ ? alpha * sum + beta * out : alpha * sum;
            }
    }

    std::int64_t m_m, m_n, m_k;
    Matrix<T> m_a, m_b, m_c;
    Scale<T> m_alpha, m_beta;
    SlotOperand m_out, m_z;
    Tile m_tile;
    bool m_readsZ = false, m_copiesZ = false, m_tiny = false;
};

template <class T>
class InnerThunk final : public Thunk {
public:
    InnerThunk(const ProductSpec &spec, std::int64_t n)
        : m_n(n), m_x(*spec.a, n, 1, spec.a->strides[0], 0), m_y(*spec.b, n, 1, spec.b->strides[0], 0), m_alpha(spec.alpha),
          m_out(*spec.out)
    {}
    bool callsLibrary() const override { return true; }
    void run(Slots slots) override
    {
        const T *x = m_x.data(slots), *y = m_y.data(slots);
        const int stepX = m_n > 1 && !m_x.needsCopy() ? int(m_x.rowStep()) : 1,
                  stepY = m_n > 1 && !m_y.needsCopy() ? int(m_y.rowStep()) : 1;
        T value = T(0);
        const std::int64_t most = std::min(kVectorAtOnce, g_blasLimit);
        for (std::int64_t i = 0; i < m_n; i += most) {
            if (i > 0) checkInterrupt();
            value += blas().of<T>().dot(int(std::min(most, m_n - i)), x + i * stepX, stepX, y + i * stepY, stepY);
        }
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
          m_copiesA(a.root == kNoSlot || a.root != out.root)
    {}
    bool callsLibrary() const override { return true; }
    void run(Slots slots) override
    {
        const std::int64_t m = m_out.shape[0], n = m_out.shape[1];
        if (m == 0 || n == 0) return;
        if (m_copiesA) copyConverted(viewOf(m_a, slots), viewOf(m_out, slots));
        const T *x = m_x.data(slots), *y = m_y.data(slots);
        T *c = m_c.data(slots);
        const int stepX = m > 1 && !m_x.needsCopy() ? int(m_x.rowStep()) : 1, stepY = n > 1 && !m_y.needsCopy() ? int(m_y.rowStep()) : 1;
        const T alpha = m_alpha.value(slots);
        if (isOrdinary(alpha) && m_c.transposed()) addOuter(alpha, y, n, stepY, x, m, stepX, c);
        else if (isOrdinary(alpha)) addOuter(alpha, x, m, stepX, y, n, stepY, c);
        else
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) c[i * m_c.rowStep() + j * m_c.columnStep()] += alpha * (x[i * stepX] * y[j * stepY]);
        if (m_c.needsCopy()) {
            const Dims strides = contiguousStrides(m_out.shape, sizeof(T));
            copyConverted({c, Matrix<T>::dtypeOf(), 2, m_out.shape.data(), strides.data()}, viewOf(m_out, slots));
        }
    }

private:
    // Rows of c as it lies in memory, some at a time.
    void addOuter(T alpha, const T *x, std::int64_t rows, int stepX, const T *y, std::int64_t columns, int stepY, T *c) const
    {
        const std::int64_t width = std::min(columns, g_blasLimit);
        const std::int64_t height = m_c.isFar() ? 1 : std::clamp(kVectorAtOnce / width, std::int64_t(1), g_blasLimit);
        const int leading = static_cast<int>(std::min(m_c.leading(), g_blasLimit));
        for (std::int64_t i = 0; i < rows; i += height)
            for (std::int64_t j = 0; j < columns; j += width) {
                if (i + j > 0) checkInterrupt();
                blas().of<T>().ger(int(std::min(height, rows - i)), int(std::min(width, columns - j)), alpha, x + i * stepX, stepX,
                                   y + j * stepY, stepY, c + i * m_c.leading() + j, leading);
            }
    }

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
    {}
    void run(Slots slots) override
    {
        copyConverted(viewOf(m_a, slots), m_left.view());
        copyConverted(viewOf(m_b, slots), m_right.view());
        const auto *a = m_left.as<std::uint64_t>(), *b = m_right.as<std::uint64_t>();
        auto *c = m_result.as<std::uint64_t>();
        for (std::int64_t i = 0; i < m_m; ++i) {
            std::fill(c + i * m_n, c + (i + 1) * m_n, 0);
            checkInterrupt();
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
    if (rb == 1) return gemvThunk<T>(spec, *spec.a, *spec.b, false, m, k);
    if (ra == 1) return gemvThunk<T>(spec, *spec.b, *spec.a, true, n, k);
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

std::unique_ptr<Thunk> outerThunk(const SlotOperand &a, const Factor &alpha, const SlotOperand &x, const SlotOperand &y,
                                  const SlotOperand &out)
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
