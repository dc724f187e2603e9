#include "engine/runtime/thunks/gemv_thunk.h"

#include "engine/device/cpu/blas.h"
#include "engine/rt/rt.h"
#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/product_operands.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace engine::products {
namespace {

constexpr std::int64_t kPartBytes = std::int64_t(1) << 20; // of a matrix whose rows are summed up …
constexpr std::int64_t kMostParts = 16, kLeastRows = 128;  // … in several sums

// Rows that are added into one sum before sums are added: depends on the matrix alone, so that any number of threads gives the
// same bits.
std::int64_t rowsSummedTogether(std::int64_t rows, std::int64_t bytesPerRow)
{
    const std::int64_t wanted =
        std::max({kPartBytes / std::max<std::int64_t>(bytesPerRow, 1), (rows + kMostParts - 1) / kMostParts, kLeastRows});
    return rows * 2 < wanted * 3 ? rows : (wanted + 7) / 8 * 8;
}

template <class T>
class GemvThunk final : public Thunk, private RowWork {
public:
    /// out (m) = beta·z + alpha·op(a) x (n); `transpose`: x stands on the left of a.
    GemvThunk(const ProductSpec &spec, const SlotOperand &a, const SlotOperand &x, bool transpose, std::int64_t m, std::int64_t n)
        : m_m(m), m_n(n), m_a(a, m, n, transpose ? a.strides[1] : a.strides[0], transpose ? a.strides[0] : a.strides[1], transpose),
          m_x(x, n, 1, x.strides[0], 0), m_alpha(spec.alpha), m_beta(spec.beta), m_out(*spec.out)
    {
        if (spec.z) {
            m_z = *spec.z;
            m_readsZ = true;
            m_copiesZ = spec.z->root == kNoSlot || spec.z->root != spec.out->root;
        }
        constexpr auto width = static_cast<std::int64_t>(sizeof(T));
        m_outStep = m <= 1 ? 1 : m_out.strides[0] / width;
        m_viaTemporary =
            m_out.dtype != Matrix<T>::dtypeOf() || (m > 1 && (m_out.strides[0] % width != 0 || m_outStep < 1 || m_outStep > g_blasLimit));
        if (m_viaTemporary) {
            m_temporary = Tensor::empty(Matrix<T>::dtypeOf(), m_out.shape);
            m_outStep = 1;
        }
        m_xStep = n <= 1 || m_x.needsCopy() ? 1 : m_x.rowStep();
        // Matrix's idea of a copied a is for its own shape; x as a column is contiguous after a copy.
        if (m_a.transposed()) m_part = rowsSummedTogether(n, m * width);
    }

    bool callsLibrary() const override { return true; }
    void run(Slots slots) override
    {
        if (m_m == 0) return;
        const T alpha = m_alpha.value(slots), beta = m_beta.value(slots);
        T *y = static_cast<T *>(slots[m_out.slot]);
        if (m_viaTemporary) {
            y = m_temporary.template as<T>();
            if (m_readsZ) copyConverted(viewOf(m_z, slots), m_temporary.view());
        } else if (m_copiesZ) {
            copyConverted(viewOf(m_z, slots), viewOf(m_out, slots));
        }
        const T *a = m_a.data(slots), *x = m_x.data(slots);
        if (m_n > 0 && isOrdinary(alpha)) {
            scale(y, beta, m_outStep);
            add(alpha, a, x, y, m_outStep);
        } else {
            std::vector<T> product(static_cast<std::size_t>(m_m));
            if (m_n > 0) add(T(1), a, x, product.data(), 1);
            combine(alpha, product.data(), beta, y, m_outStep);
        }
        if (m_viaTemporary) copyConverted(m_temporary.view(), viewOf(m_out, slots));
    }

    RowWork *byRows() override
    {
        const bool plain =
            kIsReal<T> && m_m > 0 && m_n > 0 && m_xStep == 1 && m_outStep == 1 && !m_viaTemporary && !m_a.needsCopy() && !m_x.needsCopy();
        return plain ? this : nullptr;
    }

private:
    // Rows of the matrix as it lies in memory: results of a·x, or what aᵀ·x adds up. Such a sum is made aside, since its
    // place may be read by others of the group until the end.
    std::int64_t rows() const override { return m_a.transposed() ? m_n : m_m; }
    std::size_t bytesPerRow() const override { return static_cast<std::size_t>(m_a.transposed() ? m_m : m_n) * sizeof(T); }

    void joinPass() override
    {
        if (m_a.transposed())
            m_sums = Tensor::empty(Matrix<T>::dtypeOf(), {(m_n + m_part - 1) / m_part, (m_m + kLine - 1) / kLine * kLine + kLine});
    }

    void beginRows(Slots slots) override
    {
        m_pass = {
            m_alpha.value(slots), m_a.data(slots), m_x.data(slots), static_cast<T *>(slots[m_out.slot]), ownLoop(), false, T(1), T(1)};
        T *y = m_pass.y;
        if (m_copiesZ) copyConverted(viewOf(m_z, slots), viewOf(m_out, slots));
        // The transposed loop multiplies by alpha first, the other one last.
        m_pass.endsApart = m_a.transposed() && !isOrdinary(m_pass.alpha);
        if (m_pass.endsApart) {
            m_pass.endAlpha = std::exchange(m_pass.alpha, T(1));
            m_pass.endBeta = m_beta.value(slots);
        }
        if (m_a.transposed()) {
            m_sumsShift = reinterpret_cast<std::uintptr_t>(m_pass.a) / sizeof(T) % kLine;
            if (m_readsZ && !m_pass.endsApart) std::copy(y, y + m_m, sumOf(0));
            y = sumOf(0);
            if (m_part >= m_n) m_pass.y = y;
        }
        if (m_pass.endsApart) std::fill(y, y + m_m, T(0));
        else scale(y, m_beta.value(slots), 1);
    }

    static constexpr std::int64_t kLine = 64 / sizeof(T); // elements of a cache line

    std::int64_t rowsOfPart() const override { return m_a.transposed() ? m_part : 1; }
    T *sumOf(std::int64_t part) const { return m_sums.template as<T>() + part * m_sums.shape()[1] + m_sumsShift; }

    // Mostly eight rows: what stands before and behind the loops shows.
    void runRows(Slots, std::int64_t first, std::int64_t count) override
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

    void endRows(Slots slots) override
    {
        if (!m_a.transposed()) return;
        for (std::int64_t part = 1; part < m_sums.shape()[0]; ++part) addTo(sumOf(0), sumOf(part), m_m);
        T *y = static_cast<T *>(slots[m_out.slot]);
        if (m_pass.endsApart) combine(m_pass.endAlpha, sumOf(0), m_pass.endBeta, y, 1);
        else std::copy(sumOf(0), sumOf(0) + m_m, y);
    }

    static void addTo(T *y, const T *part, std::int64_t n)
    {
        for (std::int64_t i = 0; i < n; ++i) y[i] += part[i];
    }

    void scale(T *y, T beta, std::int64_t step) const
    {
        if (m_readsZ && beta == T(1)) return;
        for (std::int64_t i = 0; i < m_m; ++i) y[i * step] = m_readsZ ? y[i * step] * beta : T(0);
    }

    void combine(T alpha, const T *product, T beta, T *y, std::int64_t step) const
    {
        for (std::int64_t i = 0; i < m_m; ++i) {
            T &out = y[i * step];
            out = m_readsZ ? beta * out + alpha * product[i] : alpha * product[i];
        }
    }

    /// y += alpha·op(a)·x; `alpha` is ordinary.
    void add(T alpha, const T *a, const T *x, T *y, std::int64_t step) const
    {
        if constexpr (kIsReal<T>) {
            if (m_xStep == 1 && step == 1) {
                if (rows() * static_cast<std::int64_t>(bytesPerRow()) >= kSharedBytes && canShare()) ownShared(alpha, a, x, y);
                else ownAll(alpha, m_m, a, x, y);
                return;
            }
        }
        addByLibrary(alpha, a, x, y, step);
    }

    // Rows of the matrix as it lies in memory, some at a time.
    void addByLibrary(T alpha, const T *a, const T *x, T *y, std::int64_t step) const
    {
        const bool t = m_a.transposed();
        const std::int64_t rows = t ? m_n : m_m, columns = t ? m_m : m_n, width = std::min(columns, g_blasLimit);
        const std::int64_t height = m_a.isFar() ? 1 : std::clamp(kVectorAtOnce / width, std::int64_t(1), g_blasLimit);
        const int leading = static_cast<int>(std::min(m_a.leading(), g_blasLimit));
        for (std::int64_t i = 0; i < rows; i += height)
            for (std::int64_t j = 0; j < columns; j += width) {
                if (i + j > 0) checkInterrupt();
                const std::int64_t result = t ? j : i, summed = t ? i : j;
                blas().of<T>().gemv(t, int(std::min(height, rows - i)), int(std::min(width, columns - j)), alpha, a + i * m_a.leading() + j,
                                    leading, x + summed * m_xStep, int(m_xStep), T(1), y + result * step, int(step));
            }
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
        if constexpr (kIsReal<T>) {
            const std::int64_t lda = m_a.leading(),
                               atOnce = std::max(kVectorAtOnce / std::max<std::int64_t>(columns, 1) / 8 * 8, std::int64_t(8));
            for (std::int64_t first = 0; first < rows; first += atOnce) {
                if (first > 0) checkInterrupt();
                const std::int64_t count = std::min(atOnce, rows - first);
                if (m_a.transposed()) ownLoop()(count, columns, alpha, a + first * lda, lda, x + first, y);
                else ownLoop()(count, columns, alpha, a + first * lda, lda, x, y + first);
            }
        }
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

    std::int64_t m_m, m_n;
    Matrix<T> m_a, m_x;
    Scale<T> m_alpha, m_beta;
    SlotOperand m_out, m_z;
    Tensor m_temporary;
    std::int64_t m_xStep = 1, m_outStep = 1;
    bool m_readsZ = false, m_copiesZ = false, m_viaTemporary = false;
    std::int64_t m_part = 0;      // rows that are added into one sum
    Tensor m_sums;                // of a pass by rows: a sum a part …
    std::int64_t m_sumsShift = 0; // … each as far into its cache line as the matrix is
    struct Pass {
        T alpha;
        const T *a, *x;
        T *y;
        Loop loop;
        bool endsApart; // the sum is scaled and added at the end
        T endAlpha, endBeta;
    } m_pass{}; // set when one begins
};

} // namespace

template <class T>
std::unique_ptr<Thunk> gemvThunk(const ProductSpec &spec, const SlotOperand &a, const SlotOperand &x, bool transpose, std::int64_t m,
                                 std::int64_t n)
{
    return std::make_unique<GemvThunk<T>>(spec, a, x, transpose, m, n);
}
template std::unique_ptr<Thunk> gemvThunk<float>(const ProductSpec &, const SlotOperand &, const SlotOperand &, bool, std::int64_t,
                                                 std::int64_t);
template std::unique_ptr<Thunk> gemvThunk<double>(const ProductSpec &, const SlotOperand &, const SlotOperand &, bool, std::int64_t,
                                                  std::int64_t);
template std::unique_ptr<Thunk> gemvThunk<std::complex<float>>(const ProductSpec &, const SlotOperand &, const SlotOperand &, bool,
                                                               std::int64_t, std::int64_t);
template std::unique_ptr<Thunk> gemvThunk<std::complex<double>>(const ProductSpec &, const SlotOperand &, const SlotOperand &, bool,
                                                                std::int64_t, std::int64_t);

} // namespace engine::products
