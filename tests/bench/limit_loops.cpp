#include "tests/bench/limit_loops.h"

#include "engine/rt/math_f32.h" // polynomials to write out in a loop

// No <cmath>: these declarations let the compiler call the vector forms of the C library, which are the fastest on long arrays.
extern "C" {
__attribute__((simd("notinbranch"), const)) float expf(float);
__attribute__((simd("notinbranch"), const)) float tanhf(float);
float logf(float);
}

namespace limits {
namespace {

constexpr int kWidth = 16;
typedef float Vector __attribute__((vector_size(4 * kWidth), aligned(4)));
typedef float Whole __attribute__((vector_size(4 * kWidth)));

inline Whole at(const float *p) { return *reinterpret_cast<const Vector *>(p); }

inline float total(Whole v)
{
    const auto a = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto b = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    return (b[0] + b[2]) + (b[1] + b[3]);
}

// Four dot products of neighbouring rows with w.
inline void dotFour(const float *row, std::int64_t columns, const float *w, float *z)
{
    const float *r0 = row, *r1 = r0 + columns, *r2 = r1 + columns, *r3 = r2 + columns;
    Whole e0 = {}, e1 = {}, e2 = {}, e3 = {}, o0 = {}, o1 = {}, o2 = {}, o3 = {};
    std::int64_t j = 0;
    for (; j + 2 * kWidth <= columns; j += 2 * kWidth) {
        const Whole a = at(w + j), b = at(w + j + kWidth);
        e0 += at(r0 + j) * a;
        e1 += at(r1 + j) * a;
        e2 += at(r2 + j) * a;
        e3 += at(r3 + j) * a;
        o0 += at(r0 + j + kWidth) * b;
        o1 += at(r1 + j + kWidth) * b;
        o2 += at(r2 + j + kWidth) * b;
        o3 += at(r3 + j + kWidth) * b;
    }
    for (; j < columns; j += kWidth) {
        const Whole a = at(w + j);
        e0 += at(r0 + j) * a;
        e1 += at(r1 + j) * a;
        e2 += at(r2 + j) * a;
        e3 += at(r3 + j) * a;
    }
    z[0] = total(e0 + o0);
    z[1] = total(e1 + o1);
    z[2] = total(e2 + o2);
    z[3] = total(e3 + o3);
}

// Eight rows, each times its factor, onto sum.
inline void addEight(const float *row, std::int64_t columns, const float *factors, float *sum)
{
    const float *r0 = row, *r1 = r0 + columns, *r2 = r1 + columns, *r3 = r2 + columns;
    const float *r4 = r3 + columns, *r5 = r4 + columns, *r6 = r5 + columns, *r7 = r6 + columns;
    const Whole zero = {}, f0 = zero + factors[0], f1 = zero + factors[1], f2 = zero + factors[2], f3 = zero + factors[3],
                f4 = zero + factors[4], f5 = zero + factors[5], f6 = zero + factors[6], f7 = zero + factors[7];
    for (std::int64_t j = 0; j < columns; j += kWidth) {
        Whole a = at(sum + j), b = at(r1 + j) * f1;
        a += at(r0 + j) * f0;
        a += at(r2 + j) * f2;
        b += at(r3 + j) * f3;
        a += at(r4 + j) * f4;
        b += at(r5 + j) * f5;
        a += at(r6 + j) * f6;
        b += at(r7 + j) * f7;
        *reinterpret_cast<Vector *>(sum + j) = a + b;
    }
}

// Sigmoid, cross entropy by softplus, the gradient of the mean; returns the sum of the gradients. Eight at a time, written out:
// a call for eight elements costs more than they do.
inline float entropyOfEight(const Logistic &s, std::int64_t from)
{
    const float bias = *s.b, share = 1.0f / static_cast<float>(s.rows);
    const float *__restrict zs = s.z + from, *__restrict ys = s.y + from;
    float *__restrict entropy = s.entropy + from, *__restrict g = s.g + from;
    unsigned char *__restrict prediction = s.prediction + from;
    float half[8];
    for (int i = 0; i < 8; ++i) {
        const float z = zs[i] + bias, e = expOwn(z < 0 ? z : -z), u = 1.0f + e;
        const float rest = logOwn(u) + (e - (u - 1.0f)) / u, p = (z < 0 ? e : 1.0f) / u;
        half[i] = p;
        entropy[i] = (z > 0 ? z : 0.0f) + rest - ys[i] * z;
        g[i] = (p - ys[i]) * share;
    }
    for (int i = 0; i < 8; ++i) prediction[i] = half[i] > 0.5f;
    return ((g[0] + g[4]) + (g[2] + g[6])) + ((g[1] + g[5]) + (g[3] + g[7]));
}

void descend(const Logistic &s, float biasGradient)
{
    for (std::int64_t j = 0; j < s.columns; ++j) s.w[j] -= 0.1f * (s.sum[j] + 0.02f * s.w[j]);
    *s.b -= 0.1f * biasGradient;
}

void clear(float *values, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) values[i] = 0;
}

} // namespace

void logisticTwoPasses(const Logistic &s)
{
    for (std::int64_t i = 0; i < s.rows; i += 4) dotFour(s.x + i * s.columns, s.columns, s.w, s.z + i);
    float sum = 0;
    for (std::int64_t i = 0; i < s.rows; i += 8) sum += entropyOfEight(s, i);
    clear(s.sum, s.columns);
    for (std::int64_t i = 0; i < s.rows; i += 8) addEight(s.x + i * s.columns, s.columns, s.g + i, s.sum);
    descend(s, sum);
}

void logisticOnePass(const Logistic &s)
{
    float sum = 0;
    clear(s.sum, s.columns);
    for (std::int64_t i = 0; i < s.rows; i += 8) {
        dotFour(s.x + i * s.columns, s.columns, s.w, s.z + i);
        dotFour(s.x + (i + 4) * s.columns, s.columns, s.w, s.z + i + 4);
        sum += entropyOfEight(s, i);
        addEight(s.x + i * s.columns, s.columns, s.g + i, s.sum);
    }
    descend(s, sum);
}

float perceptronStep(const Perceptron &n, Gemm gemm)
{
    const float rate = 0.01f;
    gemm(false, false, n.batch, n.hidden, n.inputs, 1, n.x, n.inputs, n.w1, n.hidden, 0, n.h, n.hidden);
    for (std::int64_t i = 0; i < n.batch; ++i)
        for (std::int64_t j = 0; j < n.hidden; ++j) n.h[i * n.hidden + j] = tanhf(n.h[i * n.hidden + j] + n.b1[j]);
    gemm(false, false, n.batch, n.classes, n.hidden, 1, n.h, n.hidden, n.w2, n.classes, 0, n.p, n.classes);
    float loss = 0;
    const float share = 1.0f / static_cast<float>(n.batch);
    for (std::int64_t i = 0; i < n.batch; ++i) {
        float *row = n.p + i * n.classes, top = row[0] + n.b2[0], sum = 0;
        for (std::int64_t j = 0; j < n.classes; ++j) {
            row[j] += n.b2[j];
            top = row[j] > top ? row[j] : top;
        }
        for (std::int64_t j = 0; j < n.classes; ++j) sum += row[j] = expf(row[j] - top);
        loss += (logf(sum) - logf(row[n.y[i]])) * share;
        for (std::int64_t j = 0; j < n.classes; ++j) row[j] *= share / sum;
        row[n.y[i]] -= share;
    }
    gemm(false, true, n.batch, n.hidden, n.classes, 1, n.p, n.classes, n.w2, n.classes, 0, n.gh, n.hidden);
    gemm(true, false, n.hidden, n.classes, n.batch, -rate, n.h, n.hidden, n.p, n.classes, 1, n.w2, n.classes);
    for (std::int64_t i = 0; i < n.batch * n.hidden; ++i) n.gh[i] *= 1 - n.h[i] * n.h[i];
    for (std::int64_t i = 0; i < n.batch; ++i)
        for (std::int64_t j = 0; j < n.classes; ++j) n.b2[j] -= rate * n.p[i * n.classes + j];
    for (std::int64_t i = 0; i < n.batch; ++i)
        for (std::int64_t j = 0; j < n.hidden; ++j) n.b1[j] -= rate * n.gh[i * n.hidden + j];
    gemm(true, false, n.inputs, n.hidden, n.batch, -rate, n.x, n.inputs, n.gh, n.hidden, 1, n.w1, n.hidden);
    return loss;
}

void exponential(const float *__restrict a, float *__restrict out, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) out[i] = expf(a[i]);
}

void squares(const float *__restrict a, const float *__restrict b, float *__restrict out, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] * a[i] + b[i] * b[i] + 2 * a[i] * b[i];
}

void combination(const float *__restrict a, const float *__restrict b, float *__restrict out, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) out[i] = 2 * a[i] + 3 * b[i];
}

void tenOperations(const float *__restrict a, const float *__restrict b, const float *__restrict c, float *__restrict out, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) out[i] = (a[i] * b[i] + c[i]) * (a[i] - b[i]) + (c[i] * c[i] - a[i]) / 2 + b[i] * a[i];
}

namespace {

constexpr int kLanes = 64;

inline float largest(const float *x, std::int64_t n)
{
    float lane[kLanes];
    int notANumber[kLanes] = {};
    for (int j = 0; j < kLanes; ++j) lane[j] = x[0];
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int j = 0; j < kLanes; ++j) {
            const float v = x[i + j];
            lane[j] = v > lane[j] ? v : lane[j];
            notANumber[j] |= v != v;
        }
    int any = 0;
    float best = lane[0];
    for (int j = 0; j < kLanes; ++j) {
        best = lane[j] > best ? lane[j] : best;
        any |= notANumber[j];
    }
    for (; i < n; ++i) {
        best = x[i] > best ? x[i] : best;
        any |= x[i] != x[i];
    }
    return any ? __builtin_nanf("") : best;
}

} // namespace

double sum(const float *x, std::int64_t n)
{
    double lane[kLanes] = {}, result = 0;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int j = 0; j < kLanes; ++j) lane[j] += x[i + j];
    for (; i < n; ++i) result += x[i];
    for (double value : lane) result += value;
    return result;
}

std::int64_t argmax(const float *x, std::int64_t n)
{
    constexpr std::int64_t kBlock = 256;
    const float best = largest(x, n);
    for (std::int64_t first = 0; first < n; first += kBlock) {
        const std::int64_t end = first + kBlock < n ? first + kBlock : n;
        int found = 0;
        for (std::int64_t i = first; i < end; ++i) found |= best == best ? x[i] == best : x[i] != x[i];
        if (!found) continue;
        for (std::int64_t i = first; i < end; ++i)
            if (x[i] == best || x[i] != x[i]) return i;
    }
    return 0;
}

} // namespace limits
