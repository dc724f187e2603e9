// The same work written out by hand, for what this processor can do at best: no graph, no plan, outputs reused, one thread.
#pragma once

#include <cstdint>

namespace limits {

/// One step of logistic regression, float32: x (rows × columns, both multiples of 8 and 32), labels y, weights w, bias b.
struct Logistic {
    std::int64_t rows, columns;
    const float *x, *y;
    float *w, *b;
    unsigned char *prediction;
    float *entropy;
    float *z, *g, *sum; ///< scratch: rows, rows, columns
};
void logisticTwoPasses(const Logistic &step);
void logisticOnePass(const Logistic &step);

using Gemm = void (*)(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float *a,
                      std::int64_t lda, const float *b, std::int64_t ldb, float beta, float *c, std::int64_t ldc);

/// One step of a perceptron with a tanh layer and a softmax, negative log likelihood, plain gradient descent.
struct Perceptron {
    std::int64_t batch, inputs, hidden, classes;
    const float *x;
    const std::int32_t *y;
    float *w1, *b1, *w2, *b2;
    float *h, *p, *gh; ///< scratch: batch × hidden, batch × classes, batch × hidden
};
float perceptronStep(const Perceptron &net, Gemm gemm);

void exponential(const float *a, float *out, std::int64_t n);
void squares(const float *a, const float *b, float *out, std::int64_t n);     ///< a² + b² + 2ab
void combination(const float *a, const float *b, float *out, std::int64_t n); ///< 2a + 3b
void tenOperations(const float *a, const float *b, const float *c, float *out, std::int64_t n);

double sum(const float *x, std::int64_t n);
std::int64_t argmax(const float *x, std::int64_t n);

// Each row of a matrix by itself.
void softmax(const float *x, float *out, std::int64_t rows, std::int64_t columns);
void softmaxGradient(const float *g, const float *p, float *out, std::int64_t rows, std::int64_t columns);
void logSumExp(const float *x, float *out, float *scratch, std::int64_t rows, std::int64_t columns); ///< scratch: one row
void layerNorm(const float *x, const float *gain, const float *bias, float *out, std::int64_t rows, std::int64_t columns);
void layerNormGradient(const float *x, const float *g, float *out, std::int64_t rows, std::int64_t columns); ///< of a gain of 1
void rootMeanSquareNorm(const float *x, const float *gain, float *out, std::int64_t rows, std::int64_t columns);

void logSoftmax(const float *x, float *out, std::int64_t rows, std::int64_t columns);
void logSoftmaxGradient(const float *x, const float *g, float *out, std::int64_t rows, std::int64_t columns);
void crossEntropy(const float *x, const float *t, float *out, float *scratch, std::int64_t rows, std::int64_t columns); ///< -Σ t·log p
void standardised(const float *x, float *out, std::int64_t rows, std::int64_t columns);
void rootMeanSquareGradient(const float *x, const float *g, float *out, std::int64_t rows, std::int64_t columns); ///< of a gain of 1
// Each column by itself.
void batchNorm(const float *x, const float *gain, const float *bias, float *out, std::int64_t rows, std::int64_t columns);
void batchNormGradient(const float *x, const float *g, float *out, std::int64_t rows, std::int64_t columns); ///< of a gain of 1

} // namespace limits
