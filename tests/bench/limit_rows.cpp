// Normalisations and their gradients, a row at a time, by hand.
#include "tests/bench/limit_loops.h"

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
               double *__restrict scratch, std::int64_t rows, std::int64_t columns)
{
    double *const sums = scratch, *const squares = scratch + columns;
    for (std::int64_t j = 0; j < columns; ++j) sums[j] = squares[j] = 0;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) sums[j] += static_cast<double>(x[r * columns + j]);
    for (std::int64_t j = 0; j < columns; ++j) sums[j] /= static_cast<double>(rows);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) {
            const float d = x[r * columns + j] - static_cast<float>(sums[j]);
            squares[j] += static_cast<double>(d * d);
        }
    float *const mean = reinterpret_cast<float *>(scratch + 2 * columns), *const scale = mean + columns;
    for (std::int64_t j = 0; j < columns; ++j) {
        mean[j] = static_cast<float>(sums[j]);
        scale[j] = 1 / sqrtf(static_cast<float>(squares[j] / static_cast<double>(rows)) + 1e-5F);
    }
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) out[r * columns + j] = (x[r * columns + j] - mean[j]) * scale[j] * gain[j] + bias[j];
}

} // namespace limits
