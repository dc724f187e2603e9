// The transforms themselves. Lengths are split into factors (Stockham's order, no shuffling of digits); what has a large prime factor
// becomes a convolution of a power of two (Bluestein).
#include "engine/ops/elements/run_support.h"
#include "engine/ops/products/fft.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>

namespace engine {
namespace {

// The product of std::complex looks for nan, which costs more than the product.
template <class T>
struct Wave {
    T re, im;
    friend Wave operator+(Wave a, Wave b) { return {a.re + b.re, a.im + b.im}; }
    friend Wave operator-(Wave a, Wave b) { return {a.re - b.re, a.im - b.im}; }
    friend Wave operator*(Wave a, Wave b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    friend Wave operator*(T a, Wave b) { return {a * b.re, a * b.im}; }
    Wave conjugate() const { return {re, -im}; }
    Wave turned() const { return {im, -re}; } ///< times -i
};

/// exp(-2πi·place / length)
template <class T>
Wave<T> root(std::size_t place, std::size_t length)
{
    const double angle = -2 * std::numbers::pi * static_cast<double>(place % length) / static_cast<double>(length);
    return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

constexpr std::size_t kLargestFactor = 31;
constexpr std::size_t kUninterrupted = 1 << 16; // of a line: longer ones look for an interrupt between passes
constexpr double kFftCost = 8;                  // of an element of a line, in cheap ones

/// Sums of waves of one length, forth: X[k] = Σ x[j]·exp(-2πi·j·k / n).
template <class T>
class Transform {
public:
    explicit Transform(std::size_t length) : m_length(length)
    {
        std::size_t rest = length;
        for (const std::size_t factor : {4, 2, 3, 5})
            while (rest % factor == 0 && rest > 1) m_factors.push_back(factor), rest /= factor;
        for (std::size_t factor = 7; factor * factor <= rest; factor += 2)
            while (rest % factor == 0) m_factors.push_back(factor), rest /= factor;
        if (rest > 1) m_factors.push_back(rest);
        if (!m_factors.empty() && *std::max_element(m_factors.begin(), m_factors.end()) > kLargestFactor) {
            prepareConvolution();
            return;
        }
        rest = length;
        for (const std::size_t factor : m_factors) {
            const std::size_t inner = rest / factor;
            for (std::size_t k = 0; k < inner; ++k)
                for (std::size_t i = 1; i < factor; ++i) m_roots.push_back(root<T>(k * i, rest));
            rest = inner;
        }
        for (std::size_t i = 0; i < kLargestFactor; ++i) m_ofFactor.emplace_back();
        for (const std::size_t factor : m_factors)
            if (factor > 5 && m_ofFactor[factor - 1].empty())
                for (std::size_t i = 0; i < factor; ++i) m_ofFactor[factor - 1].push_back(root<T>(i, factor));
    }

    std::size_t length() const { return m_length; }
    /// In place; `work` has workSize() elements.
    std::size_t workSize() const { return m_convolution ? 2 * m_convolution->length() : m_length; }
    void run(Wave<T> *x, Wave<T> *work) const
    {
        if (m_convolution) return convolve(x, work);
        Wave<T> *from = x, *to = work;
        std::size_t rest = m_length, stride = 1;
        const Wave<T> *roots = m_roots.data();
        for (const std::size_t factor : m_factors) {
            if (m_length > kUninterrupted) checkInterrupt();
            rest /= factor;
            switch (factor) {
            case 2: pass2(from, to, rest, stride, roots); break;
            case 3: pass3(from, to, rest, stride, roots); break;
            case 4: pass4(from, to, rest, stride, roots); break;
            case 5: pass5(from, to, rest, stride, roots); break;
            default: passOf(factor, from, to, rest, stride, roots);
            }
            roots += rest * (factor - 1);
            stride *= factor;
            std::swap(from, to);
        }
        if (from != x) std::copy_n(from, m_length, x);
    }

private:
    // One pass: x[q + stride·(k + inner·j)] → y[q + stride·(factor·k + i)].
    static void pass2(const Wave<T> *x, Wave<T> *y, std::size_t inner, std::size_t stride, const Wave<T> *roots)
    {
        for (std::size_t k = 0; k < inner; ++k) {
            const Wave<T> w = roots[k], *in = x + stride * k;
            Wave<T> *out = y + stride * 2 * k;
            for (std::size_t q = 0; q < stride; ++q) {
                const Wave<T> a = in[q], b = in[q + stride * inner];
                out[q] = a + b;
                out[q + stride] = w * (a - b);
            }
        }
    }
    static void pass3(const Wave<T> *x, Wave<T> *y, std::size_t inner, std::size_t stride, const Wave<T> *roots)
    {
        const T height = static_cast<T>(std::sqrt(0.75));
        for (std::size_t k = 0; k < inner; ++k) {
            const Wave<T> w1 = roots[2 * k], w2 = roots[2 * k + 1], *in = x + stride * k;
            Wave<T> *out = y + stride * 3 * k;
            for (std::size_t q = 0; q < stride; ++q) {
                const Wave<T> a = in[q], b = in[q + stride * inner], c = in[q + 2 * stride * inner];
                const Wave<T> sum = b + c, middle = a - T(0.5) * sum, side = height * (b - c).turned();
                out[q] = a + sum;
                out[q + stride] = w1 * (middle + side);
                out[q + 2 * stride] = w2 * (middle - side);
            }
        }
    }
    static void pass4(const Wave<T> *x, Wave<T> *y, std::size_t inner, std::size_t stride, const Wave<T> *roots)
    {
        const std::size_t step = stride * inner;
        for (std::size_t k = 0; k < inner; ++k) {
            const Wave<T> w1 = roots[3 * k], w2 = roots[3 * k + 1], w3 = roots[3 * k + 2], *in = x + stride * k;
            Wave<T> *out = y + stride * 4 * k;
            for (std::size_t q = 0; q < stride; ++q) {
                const Wave<T> a = in[q], b = in[q + step], c = in[q + 2 * step], d = in[q + 3 * step];
                const Wave<T> even = a + c, evenLess = a - c, odd = b + d, oddLess = (b - d).turned();
                out[q] = even + odd;
                out[q + stride] = w1 * (evenLess + oddLess);
                out[q + 2 * stride] = w2 * (even - odd);
                out[q + 3 * stride] = w3 * (evenLess - oddLess);
            }
        }
    }
    static void pass5(const Wave<T> *x, Wave<T> *y, std::size_t inner, std::size_t stride, const Wave<T> *roots)
    {
        const Wave<T> u = root<T>(1, 5), v = root<T>(2, 5);
        const std::size_t step = stride * inner;
        for (std::size_t k = 0; k < inner; ++k) {
            const Wave<T> *w = roots + 4 * k, *in = x + stride * k;
            Wave<T> *out = y + stride * 5 * k;
            for (std::size_t q = 0; q < stride; ++q) {
                const Wave<T> a = in[q], b = in[q + step], c = in[q + 2 * step], d = in[q + 3 * step], e = in[q + 4 * step];
                const Wave<T> outer = b + e, inside = c + d, outerLess = (b - e).turned(), insideLess = (c - d).turned();
                const Wave<T> m1 = a + u.re * outer + v.re * inside, m2 = a + v.re * outer + u.re * inside;
                const Wave<T> s1 = -u.im * outerLess + -v.im * insideLess, s2 = -v.im * outerLess - -u.im * insideLess;
                out[q] = a + outer + inside;
                out[q + stride] = w[0] * (m1 + s1);
                out[q + 2 * stride] = w[1] * (m2 + s2);
                out[q + 3 * stride] = w[2] * (m2 - s2);
                out[q + 4 * stride] = w[3] * (m1 - s1);
            }
        }
    }
    void passOf(std::size_t factor, const Wave<T> *x, Wave<T> *y, std::size_t inner, std::size_t stride, const Wave<T> *roots) const
    {
        const Wave<T> *turns = m_ofFactor[factor - 1].data();
        for (std::size_t k = 0; k < inner; ++k)
            for (std::size_t q = 0; q < stride; ++q)
                for (std::size_t i = 0; i < factor; ++i) {
                    Wave<T> sum = x[q + stride * k];
                    for (std::size_t j = 1; j < factor; ++j) sum = sum + turns[i * j % factor] * x[q + stride * (k + inner * j)];
                    y[q + stride * (factor * k + i)] = i ? roots[(factor - 1) * k + i - 1] * sum : sum;
                }
    }

    void prepareConvolution()
    {
        std::size_t size = 1;
        while (size < 2 * m_length - 1) size *= 2;
        m_convolution = std::make_unique<Transform>(size);
        m_chirp.resize(m_length);
        m_spectrum.assign(size, {0, 0});
        for (std::size_t j = 0; j < m_length; ++j) {
            m_chirp[j] = root<T>(j * j % (2 * m_length), 2 * m_length);
            m_spectrum[j] = m_chirp[j].conjugate();
            if (j) m_spectrum[size - j] = m_spectrum[j];
        }
        std::vector<Wave<T>> work(m_convolution->workSize());
        m_convolution->run(m_spectrum.data(), work.data());
    }
    void convolve(Wave<T> *x, Wave<T> *work) const
    {
        const std::size_t size = m_convolution->length();
        Wave<T> *values = work, *rest = work + size;
        for (std::size_t j = 0; j < m_length; ++j) values[j] = x[j] * m_chirp[j];
        std::fill(values + m_length, values + size, Wave<T>{0, 0});
        m_convolution->run(values, rest);
        // Back is forth of the conjugates.
        for (std::size_t j = 0; j < size; ++j) values[j] = (values[j] * m_spectrum[j]).conjugate();
        m_convolution->run(values, rest);
        const T scale = T(1) / static_cast<T>(size);
        for (std::size_t j = 0; j < m_length; ++j) x[j] = scale * (values[j].conjugate() * m_chirp[j]);
    }

    std::size_t m_length;
    std::vector<std::size_t> m_factors;
    std::vector<Wave<T>> m_roots;
    std::vector<std::vector<Wave<T>>> m_ofFactor;
    std::unique_ptr<Transform> m_convolution;
    std::vector<Wave<T>> m_chirp, m_spectrum;
};

/// Lines of real numbers and the halves of their spectra; of an even length two numbers are one wave of half the length.
template <class T>
class RealTransform {
public:
    explicit RealTransform(std::size_t length) : m_isEven(length % 2 == 0), m_waves(m_isEven ? length / 2 : length)
    {
        for (std::size_t k = 0; m_isEven && k <= length / 2; ++k) m_roots.push_back(root<T>(k, length));
    }

    std::size_t workSize() const { return m_waves.length() + m_waves.workSize(); }

    void forth(const T *x, Wave<T> *spectrum, Wave<T> *waves) const
    {
        Wave<T> *rest = waves + m_waves.length();
        const std::size_t count = m_waves.length();
        if (!m_isEven) {
            for (std::size_t j = 0; j < count; ++j) waves[j] = {x[j], 0};
            m_waves.run(waves, rest);
            std::copy_n(waves, count / 2 + 1, spectrum);
            return;
        }
        for (std::size_t j = 0; j < count; ++j) waves[j] = {x[2 * j], x[2 * j + 1]};
        m_waves.run(waves, rest);
        for (std::size_t k = 0; k <= count; ++k) {
            const Wave<T> a = waves[k % count], b = waves[(count - k) % count].conjugate();
            spectrum[k] = T(0.5) * (a + b + m_roots[k] * (a - b).turned());
        }
    }

    /// Without dividing by the length.
    void back(const Wave<T> *spectrum, T *x, Wave<T> *waves) const
    {
        Wave<T> *rest = waves + m_waves.length();
        const std::size_t count = m_waves.length();
        // The first frequency, and the last of an even length, are real whatever stands there.
        if (!m_isEven) {
            waves[0] = {spectrum[0].re, 0};
            for (std::size_t k = 1; k <= count / 2; ++k) {
                waves[k] = spectrum[k].conjugate();
                waves[count - k] = spectrum[k];
            }
            m_waves.run(waves, rest);
            for (std::size_t j = 0; j < count; ++j) x[j] = waves[j].re;
            return;
        }
        for (std::size_t k = 0; k < count; ++k) {
            const Wave<T> a = k ? spectrum[k] : Wave<T>{spectrum[0].re, 0};
            const Wave<T> b = k ? spectrum[count - k].conjugate() : Wave<T>{spectrum[count].re, 0};
            const Wave<T> odd = m_roots[k].conjugate() * (a - b);
            waves[k] = Wave<T>{a.re + b.re - odd.im, a.im + b.im + odd.re}.conjugate();
        }
        m_waves.run(waves, rest);
        for (std::size_t j = 0; j < count; ++j) x[2 * j] = waves[j].re, x[2 * j + 1] = -waves[j].im;
    }

private:
    bool m_isEven;
    Transform<T> m_waves;
    std::vector<Wave<T>> m_roots;
};

/// The plans of the last lengths: making one takes longer than using it.
template <class Plan>
std::shared_ptr<const Plan> planOf(std::size_t length)
{
    constexpr std::size_t kMost = 16;
    static std::mutex mutex; // guards plans, the last used in front
    static std::vector<std::pair<std::size_t, std::shared_ptr<const Plan>>> plans;
    const auto kept = [&]() -> std::shared_ptr<const Plan> {
        const auto found = std::find_if(plans.begin(), plans.end(), [&](const auto &plan) { return plan.first == length; });
        if (found == plans.end()) return nullptr;
        std::rotate(plans.begin(), found, found + 1);
        return plans.front().second;
    };
    {
        const std::lock_guard lock(mutex);
        if (auto plan = kept()) return plan;
    }
    const auto plan = std::make_shared<const Plan>(length);
    const std::lock_guard lock(mutex);
    if (auto other = kept()) return other;
    plans.insert(plans.begin(), {length, plan});
    if (plans.size() > kMost) plans.pop_back();
    return plan;
}

/// Along the axes of `sizes` but the last, of `inner` waves behind each other; back where `isBack`.
template <class T>
void transformOuterAxes(Wave<T> *waves, std::size_t examples, const Dims &sizes, std::size_t inner, bool isBack)
{
    for (int axis = sizes.rank() - 2; axis >= 0; --axis) {
        const auto length = static_cast<std::size_t>(sizes[axis]);
        const auto transform = planOf<Transform<T>>(length);
        std::size_t outer = examples, step = inner;
        for (int i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(sizes[i]);
        for (int i = axis + 1; i < sizes.rank() - 1; ++i) step *= static_cast<std::size_t>(sizes[i]);
        std::vector<Wave<T>> line(length + transform->workSize());
        Pace pace(kFftCost);
        for (std::size_t o = 0; o < outer; ++o)
            for (std::size_t s = 0; s < step; ++s) {
                pace.did(static_cast<std::int64_t>(length));
                Wave<T> *first = waves + o * length * step + s;
                for (std::size_t j = 0; j < length; ++j) line[j] = isBack ? first[j * step].conjugate() : first[j * step];
                transform->run(line.data(), line.data() + length);
                for (std::size_t j = 0; j < length; ++j) first[j * step] = isBack ? line[j].conjugate() : line[j];
            }
    }
}

Dims sizesGiven(const char *symbol, const View &sizes, int axes)
{
    const Dense<std::int64_t> given = integers(sizes);
    if (sizes.size() != axes)
        throw ShapeMismatch(std::string("[") + symbol + "] " + std::to_string(sizes.size()) + " lengths were given for " +
                            std::to_string(axes) + " axes");
    Dims result;
    for (int i = 0; i < axes; ++i) {
        if (given[i] < 1) throw ShapeMismatch(std::string("[") + symbol + "] a length is at least 1, got " + std::to_string(given[i]));
        result.push_back(given[i]);
    }
    return result;
}

/// The elements in an array of another shape: cut, or with zeros behind them.
Tensor fitted(const View &x, DType dtype, const Dims &shape)
{
    Dims common;
    for (int i = 0; i < x.rank; ++i) common.push_back(std::min(x.shape[i], shape[i]));
    Tensor result = common == shape ? Tensor::empty(dtype, shape) : Tensor::zeros(dtype, shape);
    const View to = result.view();
    copyConverted(View{x.data, x.dtype, x.rank, common.begin(), x.strides}, View{to.data, to.dtype, to.rank, common.begin(), to.strides});
    return result;
}

} // namespace

void RealFourier::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const Dims sizes = sizesGiven("rfft", args.inputs[1], x.rank - 1);
    const std::int64_t length = sizes[sizes.rank() - 1], half = length / 2 + 1;
    Dims whole{x.shape[0]}, shape{x.shape[0]};
    for (int i = 0; i < sizes.rank(); ++i) {
        whole.push_back(sizes[i]);
        shape.push_back(i + 1 < sizes.rank() ? sizes[i] : half);
    }
    shape.push_back(2);
    const View &out = output(args, 0, shape);
    withFloat(x.dtype, [&]<class T>(DType dtype) {
        const Tensor values = fitted(x, dtype, whole);
        DenseOutput<T> result(out, dtype);
        auto *waves = reinterpret_cast<Wave<T> *>(result.data());
        const auto lines = planOf<RealTransform<T>>(static_cast<std::size_t>(length));
        std::vector<Wave<T>> work(lines->workSize());
        Pace pace(kFftCost);
        for (std::int64_t line = 0; line < values.size() / length; ++line) {
            pace.did(length);
            lines->forth(values.as<T>() + line * length, waves + line * half, work.data());
        }
        transformOuterAxes(waves, static_cast<std::size_t>(x.shape[0]), sizes, static_cast<std::size_t>(half), false);
        result.finish();
    });
}

void InverseRealFourier::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const Dims sizes = sizesGiven("irfft", args.inputs[1], x.rank - 2);
    if (x.shape[x.rank - 1] != 2)
        throw ShapeMismatch("[irfft] real and imaginary parts are a last axis of size 2, got shape " + shapeOfView(x).text());
    const std::int64_t length = sizes[sizes.rank() - 1], half = length / 2 + 1;
    Dims spectrum{x.shape[0]}, shape{x.shape[0]};
    for (int i = 0; i < sizes.rank(); ++i) {
        shape.push_back(sizes[i]);
        spectrum.push_back(i + 1 < sizes.rank() ? sizes[i] : half);
    }
    spectrum.push_back(2);
    const View &out = output(args, 0, shape);
    withFloat(x.dtype, [&]<class T>(DType dtype) {
        const Tensor values = fitted(x, dtype, spectrum);
        auto *waves = reinterpret_cast<Wave<T> *>(values.as<T>());
        transformOuterAxes(waves, static_cast<std::size_t>(x.shape[0]), sizes, static_cast<std::size_t>(half), true);
        DenseOutput<T> result(out, dtype);
        const auto lines = planOf<RealTransform<T>>(static_cast<std::size_t>(length));
        std::vector<Wave<T>> work(lines->workSize());
        Pace pace(kFftCost);
        for (std::int64_t line = 0; line < out.size() / length; ++line) {
            pace.did(length);
            lines->back(waves + line * half, result.data() + line * length, work.data());
        }
        result.finish();
    });
}

} // namespace engine
