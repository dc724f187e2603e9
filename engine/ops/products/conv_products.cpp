// Convolutions as matrix products: the windows of an image become columns, some rows of what comes out at a time, so that the columns
// stay in the second cache.
#include "engine/device/cpu/blas.h"
#include "engine/ops/products/conv_run.h"
#include "engine/runtime/plan/threads.h"
#include "engine/tensor/interrupt.h"
#include "engine/tensor/sizes.h"

#include <algorithm>
#include <cstring>

namespace engine {
namespace {

constexpr std::int64_t kColumnBytes = 256 * 1024;
/// Kernels' gradients are added up in so many parts, whatever the number of threads: the same bits everywhere.
constexpr std::int64_t kWeightParts = 8;

/// A row of what comes out: its places along the last axis lie side by side.
struct Rows {
    std::int64_t first, end;
};

/// Where the window's element (c, k0, k1, k2) meets the image in output row `row`; null: in the border.
struct Walk {
    const ConvSizes &sizes;

    /// The first element of the image's row that is met, or -1.
    std::int64_t rowAt(std::int64_t channel, std::int64_t k0, std::int64_t k1, std::int64_t row) const
    {
        const std::int64_t z = row / sizes.out[1] * sizes.stride[0] + k0 * sizes.dilation[0] - sizes.before[0];
        const std::int64_t y = row % sizes.out[1] * sizes.stride[1] + k1 * sizes.dilation[1] - sizes.before[1];
        if (z < 0 || z >= sizes.in[0] || y < 0 || y >= sizes.in[1]) return -1;
        return ((channel * sizes.in[0] + z) * sizes.in[1] + y) * sizes.in[2];
    }
    /// Places [first, end) of the output row that meet the image; the place of the first one there.
    void meets(std::int64_t k2, std::int64_t &first, std::int64_t &end, std::int64_t &x) const
    {
        const std::int64_t shift = k2 * sizes.dilation[2] - sizes.before[2], step = sizes.stride[2];
        first = std::min(sizes.out[2], shift < 0 ? (-shift + step - 1) / step : 0);
        end = std::clamp((sizes.in[2] - 1 - shift) / step + 1, first, sizes.out[2]);
        if (sizes.in[2] - 1 - shift < 0) end = first;
        x = first * step + shift;
    }
    /// visit(at, first, end, x) for rows [rows.first, rows.end) of each line of the window, in their order: where the row of the image
    /// begins, or -1, and what of the output row meets it.
    template <class Visit>
    void eachRow(Rows rows, Visit visit) const
    {
        for (std::int64_t c = 0; c < sizes.groupChannels(); ++c)
            for (std::int64_t k0 = 0; k0 < sizes.kernel[0]; ++k0)
                for (std::int64_t k1 = 0; k1 < sizes.kernel[1]; ++k1)
                    for (std::int64_t k2 = 0; k2 < sizes.kernel[2]; ++k2) {
                        std::int64_t first, end, x;
                        meets(k2, first, end, x);
                        for (std::int64_t row = rows.first; row < rows.end; ++row) visit(rowAt(c, k0, k1, row), first, end, x);
                    }
    }
};

/// Rows [rows.first, rows.end) of the columns' matrix, window × places.
template <class T>
void makeColumns(const ConvSizes &sizes, const T *image, Rows rows, T *columns)
{
    const std::int64_t width = sizes.out[2], step = sizes.stride[2];
    Walk{sizes}.eachRow(rows, [&](std::int64_t at, std::int64_t first, std::int64_t end, std::int64_t x) {
        T *const to = columns;
        columns += width;
        if (at < 0 || first == end) {
            std::fill_n(to, width, T(0));
            return;
        }
        std::fill_n(to, first, T(0));
        if (step == 1) std::memcpy(to + first, image + at + x, static_cast<std::size_t>(end - first) * sizeof(T));
        else
            for (std::int64_t i = first; i < end; ++i) to[i] = image[at + x + (i - first) * step];
        std::fill_n(to + end, width - end, T(0));
    });
}

/// Adds columns back to where makeColumns took them from.
template <class T>
void addColumns(const ConvSizes &sizes, const T *columns, Rows rows, T *image)
{
    const std::int64_t width = sizes.out[2], step = sizes.stride[2];
    Walk{sizes}.eachRow(rows, [&](std::int64_t at, std::int64_t first, std::int64_t end, std::int64_t x) {
        const T *const from = columns + first;
        columns += width;
        if (at < 0) return;
        T *const to = image + at + x;
        if (step == 1)
            for (std::int64_t i = 0; i < end - first; ++i) to[i] += from[i];
        else
            for (std::int64_t i = 0; i < end - first; ++i) to[i * step] += from[i];
    });
}

/// How the rows of what comes out are cut.
struct Cut {
    explicit Cut(const ConvSizes &sizes, std::size_t elementBytes)
    {
        rows = sizes.out[0] * sizes.out[1];
        const std::int64_t rowBytes = std::max<std::int64_t>(1, sizes.window() * sizes.out[2] * static_cast<std::int64_t>(elementBytes));
        length = std::clamp<std::int64_t>(kColumnBytes / rowBytes, 1, std::max<std::int64_t>(1, rows));
        parts = (rows + length - 1) / length;
    }
    Rows part(std::int64_t index) const { return {index * length, std::min(rows, (index + 1) * length)}; }
    std::int64_t rows, length, parts;
};

template <class T>
class Products {
public:
    Products(const ConvSizes &sizes, const ConvArrays<T> &arrays) : m_sizes(sizes), m_arrays(arrays), m_cut(sizes, sizeof(T)) {}

    void forward() const
    {
        const std::int64_t places = m_sizes.outPixels(), filters = m_sizes.groupFilters(), window = m_sizes.window();
        share(m_sizes.images * m_sizes.groups * m_cut.parts, [&](std::int64_t work) {
            const std::int64_t part = work % m_cut.parts, image = work / m_cut.parts;
            const Rows rows = m_cut.part(part);
            const std::int64_t count = (rows.end - rows.first) * m_sizes.out[2];
            const T *const columns = columnsOf(image, rows);
            m_gemm(false, false, narrow(filters), narrow(count), narrow(window), T(1), kernelsOf(image % m_sizes.groups), narrow(window),
                   columns, narrow(isPlain() ? places : count), T(0),
                   m_arrays.result + image * filters * places + rows.first * m_sizes.out[2], narrow(places));
        });
    }

    void weights() const
    {
        const std::int64_t places = m_sizes.outPixels(), filters = m_sizes.groupFilters(), window = m_sizes.window();
        const std::int64_t size = m_sizes.filters * window, parts = std::min(kWeightParts, std::max<std::int64_t>(1, m_sizes.images));
        std::vector<T> sums(static_cast<std::size_t>(parts * size), T(0));
        share(parts, [&](std::int64_t part) {
            for (std::int64_t n = part * m_sizes.images / parts; n < (part + 1) * m_sizes.images / parts; ++n)
                for (std::int64_t group = 0; group < m_sizes.groups; ++group)
                    for (std::int64_t p = 0; p < m_cut.parts; ++p) {
                        checkInterrupt();
                        const std::int64_t image = n * m_sizes.groups + group;
                        const Rows rows = m_cut.part(p);
                        const std::int64_t count = (rows.end - rows.first) * m_sizes.out[2];
                        const T *const columns = columnsOf(image, rows);
                        m_gemm(false, true, narrow(filters), narrow(window), narrow(count), T(1),
                               m_arrays.out + image * filters * places + rows.first * m_sizes.out[2], narrow(places), columns,
                               narrow(isPlain() ? places : count), T(1), sums.data() + part * size + group * filters * window,
                               narrow(window));
                    }
        });
        std::copy_n(sums.begin(), size, m_arrays.result);
        for (std::int64_t part = 1; part < parts; ++part)
            for (std::int64_t i = 0; i < size; ++i) m_arrays.result[i] += sums[part * size + i];
    }

    void inputs() const
    {
        const std::int64_t places = m_sizes.outPixels(), filters = m_sizes.groupFilters(), window = m_sizes.window();
        const std::int64_t size = m_sizes.groupChannels() * m_sizes.inPixels();
        share(m_sizes.images * m_sizes.groups, [&](std::int64_t image) {
            T *const result = m_arrays.result + image * size;
            if (!isPlain()) std::fill_n(result, size, T(0));
            for (std::int64_t p = 0; p < m_cut.parts; ++p) {
                checkInterrupt();
                const Rows rows = m_cut.part(p);
                const std::int64_t first = rows.first * m_sizes.out[2], count = (rows.end - rows.first) * m_sizes.out[2];
                T *const columns = isPlain() ? result + first : scratch(window * count);
                m_gemm(true, false, narrow(window), narrow(count), narrow(filters), T(1), kernelsOf(image % m_sizes.groups), narrow(window),
                       m_arrays.out + image * filters * places + first, narrow(places), T(0), columns, narrow(isPlain() ? places : count));
                if (!isPlain()) addColumns(m_sizes, columns, rows, result);
            }
        });
    }

private:
    static int narrow(std::int64_t size) { return librarySize(size, "BLAS"); }
    template <class Body>
    void share(std::int64_t parts, const Body &body) const
    {
        const std::int64_t products = m_sizes.images * m_sizes.filters * m_sizes.outPixels() * m_sizes.window();
        if (products < kSharedProduct)
            for (std::int64_t part = 0; part < parts; ++part) body(part);
        else shareParts(parts, body);
    }
    /// Windows of one element, each place of the image once: the image is its own columns.
    bool isPlain() const
    {
        const auto ones = std::array<std::int64_t, 3>{1, 1, 1}, zeros = std::array<std::int64_t, 3>{};
        return m_sizes.kernel == ones && m_sizes.stride == ones && m_sizes.before == zeros && m_sizes.after == zeros;
    }
    const T *kernelsOf(std::int64_t group) const { return m_arrays.kernels + group * m_sizes.groupFilters() * m_sizes.window(); }
    const T *columnsOf(std::int64_t image, Rows rows) const
    {
        const T *const from = m_arrays.image + image * m_sizes.groupChannels() * m_sizes.inPixels();
        if (isPlain()) return from + rows.first * m_sizes.out[2];
        T *const columns = scratch(m_sizes.window() * (rows.end - rows.first) * m_sizes.out[2]);
        makeColumns(m_sizes, from, rows, columns);
        return columns;
    }
    static T *scratch(std::int64_t size)
    {
        static thread_local std::vector<T> memory;
        if (memory.size() < static_cast<std::size_t>(size)) memory.resize(static_cast<std::size_t>(size));
        return memory.data();
    }

    const ConvSizes &m_sizes;
    const ConvArrays<T> &m_arrays;
    const Cut m_cut;
    decltype(BlasFunctions<T>::gemm) m_gemm = blas().of<T>().gemm;
};

} // namespace

template <class T>
void convolveByProducts(ConvPass pass, const ConvSizes &sizes, const ConvArrays<T> &arrays)
{
    const Products<T> products(sizes, arrays);
    switch (pass) {
    case ConvPass::Forward: return products.forward();
    case ConvPass::Weights: return products.weights();
    case ConvPass::Inputs: return products.inputs();
    }
}

template void convolveByProducts(ConvPass, const ConvSizes &, const ConvArrays<float> &);
template void convolveByProducts(ConvPass, const ConvSizes &, const ConvArrays<double> &);

} // namespace engine
