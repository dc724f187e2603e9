// Normalisations and their gradients by hand, a row at a time or a strip of columns.
#include "tests/bench/limit_loops.h"

#include <type_traits>

// No <cmath>: see limit_loops.cpp.
extern "C" {
__attribute__((simd("notinbranch"), const)) float expf(float);
float logf(float);
float sqrtf(float);
}

namespace limits {
namespace {

float largestOf(const float *x, std::int64_t n)
{
    float top = x[0];
#pragma omp simd reduction(max : top)
    for (std::int64_t i = 0; i < n; ++i) top = x[i] > top ? x[i] : top;
    return top;
}

// to = exp(x - top); their sum.
float powersOf(const float *__restrict x, float *__restrict to, std::int64_t n, float top)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) {
        const float e = expf(x[i] - top);
        to[i] = e;
        sum += e;
    }
    return sum;
}

struct Moments {
    float mean, scale; // 1 / standard deviation
};

Moments momentsOf(const float *x, std::int64_t n)
{
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
    const float mean = static_cast<float>(sum / static_cast<double>(n));
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < n; ++i) {
        const float d = x[i] - mean;
        squares += static_cast<double>(d * d);
    }
    return {mean, 1 / sqrtf(static_cast<float>(squares / static_cast<double>(n)) + 1e-5F)};
}

constexpr std::int64_t kStrip = 64; // columns whose sums stay in registers

// work(first column, how many): a constant where it can be.
template <class Work>
void inStrips(std::int64_t columns, const Work &work)
{
    std::int64_t at = 0;
    for (; at + kStrip <= columns; at += kStrip) work(at, std::integral_constant<std::int64_t, kStrip>());
    if (at < columns) work(at, columns - at);
}

template <class Width>
void momentsOfColumns(const float *__restrict x, std::int64_t rows, std::int64_t columns, Width width, float *__restrict mean,
                      float *__restrict scale)
{
    double sum[kStrip] = {}, squares[kStrip] = {};
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < width; ++j) sum[j] += static_cast<double>(x[r * columns + j]);
    for (std::int64_t j = 0; j < width; ++j) mean[j] = static_cast<float>(sum[j] / static_cast<double>(rows));
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < width; ++j) {
            const float d = x[r * columns + j] - mean[j];
            squares[j] += static_cast<double>(d * d);
        }
    for (std::int64_t j = 0; j < width; ++j) scale[j] = 1 / sqrtf(static_cast<float>(squares[j] / static_cast<double>(rows)) + 1e-5F);
}

} // namespace

void softmax(const float *__restrict x, float *__restrict out, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, out += columns) {
        const float factor = 1 / powersOf(x, out, columns, largestOf(x, columns));
        for (std::int64_t j = 0; j < columns; ++j) out[j] *= factor;
    }
}

void softmaxGradient(const float *__restrict g, const float *__restrict p, float *__restrict out, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, g += columns, p += columns, out += columns) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = 0; j < columns; ++j) sum += static_cast<double>(g[j] * p[j]);
        const float mean = static_cast<float>(sum);
        for (std::int64_t j = 0; j < columns; ++j) out[j] = (g[j] - mean) * p[j];
    }
}

void logSumExp(const float *__restrict x, float *__restrict out, float *__restrict scratch, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns) {
        const float top = largestOf(x, columns);
        out[r] = logf(powersOf(x, scratch, columns, top)) + top;
    }
}

void layerNorm(const float *__restrict x, const float *__restrict gain, const float *__restrict bias, float *__restrict out,
               std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, out += columns) {
        const Moments m = momentsOf(x, columns);
        for (std::int64_t j = 0; j < columns; ++j) out[j] = (x[j] - m.mean) * m.scale * gain[j] + bias[j];
    }
}

void layerNormGradient(const float *__restrict x, const float *__restrict g, float *__restrict out, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, g += columns, out += columns) {
        const Moments m = momentsOf(x, columns);
        double sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
        for (std::int64_t j = 0; j < columns; ++j) {
            sum += static_cast<double>(g[j]);
            along += static_cast<double>(g[j] * ((x[j] - m.mean) * m.scale));
        }
        const float mean = static_cast<float>(sum / static_cast<double>(columns)),
                    slope = static_cast<float>(along / static_cast<double>(columns));
        for (std::int64_t j = 0; j < columns; ++j) out[j] = (g[j] - mean - (x[j] - m.mean) * m.scale * slope) * m.scale;
    }
}

void rootMeanSquareNorm(const float *__restrict x, const float *__restrict gain, float *__restrict out, std::int64_t rows,
                        std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, out += columns) {
        double squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t j = 0; j < columns; ++j) squares += static_cast<double>(x[j] * x[j]);
        const float scale = 1 / sqrtf(static_cast<float>(squares / static_cast<double>(columns)) + 1e-5F);
        for (std::int64_t j = 0; j < columns; ++j) out[j] = x[j] * scale * gain[j];
    }
}

void logSoftmax(const float *__restrict x, float *__restrict out, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, out += columns) {
        const float top = largestOf(x, columns), shift = top + logf(powersOf(x, out, columns, top));
        for (std::int64_t j = 0; j < columns; ++j) out[j] = x[j] - shift;
    }
}

void logSoftmaxGradient(const float *__restrict x, const float *__restrict g, float *__restrict out, std::int64_t rows,
                        std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, g += columns, out += columns) {
        const float total = powersOf(x, out, columns, largestOf(x, columns));
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = 0; j < columns; ++j) sum += static_cast<double>(g[j]);
        const float scale = static_cast<float>(sum) / total;
        for (std::int64_t j = 0; j < columns; ++j) out[j] = g[j] - out[j] * scale;
    }
}

void crossEntropy(const float *__restrict x, const float *__restrict t, float *__restrict out, float *__restrict scratch, std::int64_t rows,
                  std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, t += columns) {
        const float top = largestOf(x, columns), shift = top + logf(powersOf(x, scratch, columns, top));
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = 0; j < columns; ++j) sum += static_cast<double>(t[j] * (x[j] - shift));
        out[r] = static_cast<float>(-sum);
    }
}

void standardised(const float *__restrict x, float *__restrict out, std::int64_t rows, std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, out += columns) {
        const Moments m = momentsOf(x, columns);
        for (std::int64_t j = 0; j < columns; ++j) out[j] = (x[j] - m.mean) * m.scale;
    }
}

void rootMeanSquareGradient(const float *__restrict x, const float *__restrict g, float *__restrict out, std::int64_t rows,
                            std::int64_t columns)
{
    for (std::int64_t r = 0; r < rows; ++r, x += columns, g += columns, out += columns) {
        double squares = 0, along = 0;
#pragma omp simd reduction(+ : squares, along)
        for (std::int64_t j = 0; j < columns; ++j) {
            squares += static_cast<double>(x[j] * x[j]);
            along += static_cast<double>(g[j] * x[j]);
        }
        const float scale = 1 / sqrtf(static_cast<float>(squares / static_cast<double>(columns)) + 1e-5F);
        const float slope = static_cast<float>(along / static_cast<double>(columns)) * scale * scale * scale;
        for (std::int64_t j = 0; j < columns; ++j) out[j] = g[j] * scale - x[j] * slope;
    }
}

void batchNorm(const float *__restrict x, const float *__restrict gain, const float *__restrict bias, float *__restrict out,
               std::int64_t rows, std::int64_t columns)
{
    inStrips(columns, [=](std::int64_t at, auto width) {
        float mean[kStrip], scale[kStrip];
        momentsOfColumns(x + at, rows, columns, width, mean, scale);
        for (std::int64_t r = 0; r < rows; ++r) {
            const float *const from = x + r * columns + at;
            float *const to = out + r * columns + at;
            for (std::int64_t j = 0; j < width; ++j) to[j] = (from[j] - mean[j]) * scale[j] * gain[at + j] + bias[at + j];
        }
    });
}

void batchNormGradient(const float *__restrict x, const float *__restrict g, float *__restrict out, std::int64_t rows, std::int64_t columns)
{
    inStrips(columns, [=](std::int64_t at, auto width) {
        float mean[kStrip], scale[kStrip], average[kStrip], slope[kStrip];
        momentsOfColumns(x + at, rows, columns, width, mean, scale);
        double sum[kStrip] = {}, along[kStrip] = {};
        for (std::int64_t r = 0; r < rows; ++r) {
            const float *const from = x + r * columns + at, *const weight = g + r * columns + at;
#pragma GCC ivdep
            for (std::int64_t j = 0; j < width; ++j) {
                sum[j] += static_cast<double>(weight[j]);
                along[j] += static_cast<double>(weight[j] * ((from[j] - mean[j]) * scale[j]));
            }
        }
        for (std::int64_t j = 0; j < width; ++j) {
            average[j] = static_cast<float>(sum[j] / static_cast<double>(rows));
            slope[j] = static_cast<float>(along[j] / static_cast<double>(rows));
        }
        for (std::int64_t r = 0; r < rows; ++r) {
            const float *const from = x + r * columns + at, *const weight = g + r * columns + at;
            float *const to = out + r * columns + at;
#pragma GCC ivdep
            for (std::int64_t j = 0; j < width; ++j)
                to[j] = (weight[j] - average[j] - (from[j] - mean[j]) * scale[j] * slope[j]) * scale[j];
        }
    });
}

} // namespace limits
