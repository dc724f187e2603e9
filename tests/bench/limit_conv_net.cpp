// A training step of a convolutional network written out by hand: the better of our limit convolutions for each pass, our products, and
// loops. Called by networks.py.
#include "tests/bench/limit_networks.h"

#include "engine/device/cpu/blas.h"

#include <algorithm>
#include <chrono>
#include <cstring>

// No <cmath>: these declarations let the compiler call the vector forms of the C library.
extern "C" {
__attribute__((simd("notinbranch"), const)) float expf(float);
__attribute__((simd("notinbranch"), const)) float tanhf(float);
float logf(float);
}

namespace {

constexpr float kRate = 0.01f;

double secondsOf(const LimitConv &conv, int pass, int byLibrary, const float *first, const float *second, float *result)
{
    const auto begin = std::chrono::steady_clock::now();
    if (!limit_conv(&conv, pass, byLibrary, first, second, result)) return 1e9;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void convolve(LimitStage &stage, int pass, bool isTuned, const float *first, const float *second, float *result)
{
    if (!isTuned) {
        double best[2] = {1e9, 1e9};
        for (int round = 0; round < 8; ++round)
            for (int byLibrary = 0; byLibrary < 2; ++byLibrary)
                best[byLibrary] = std::min(best[byLibrary], secondsOf(stage.conv, pass, byLibrary, first, second, result));
        stage.isLibraryBetter[pass] = best[1] < best[0];
    }
    limit_conv(&stage.conv, pass, stage.isLibraryBetter[pass], first, second, result);
}

template <int kPool>
void largest(const LimitStage &stage)
{
    const int height = stage.conv.outHeight(), width = stage.conv.outWidth(), rows = height / kPool, columns = width / kPool;
    float line[1024];
    for (long image = 0; image < static_cast<long>(stage.conv.images) * stage.conv.filters; ++image) {
        const float bias = stage.bias[image % stage.conv.filters];
        for (int y = 0; y < rows; ++y) {
            const float *from = stage.made + (image * height + y * kPool) * width;
            std::memcpy(line, from, sizeof(float) * static_cast<std::size_t>(width));
            for (int k = 1; k < kPool; ++k)
                for (int x = 0; x < width; ++x) line[x] = from[k * width + x] > line[x] ? from[k * width + x] : line[x];
            float *const to = stage.pooled + (image * rows + y) * columns;
            for (int x = 0; x < columns; ++x) {
                float most = line[x * kPool];
                for (int k = 1; k < kPool; ++k) most = line[x * kPool + k] > most ? line[x * kPool + k] : most;
                to[x] = most;
            }
        }
        float *const all = stage.pooled + image * rows * columns;
        for (int i = 0; i < rows * columns; ++i) all[i] = tanhf(all[i] + bias);
    }
}

// pooledGrad (of what comes out) becomes madeGrad, and the bias is changed.
template <int kPool>
void largestBack(LimitStage &stage)
{
    const int height = stage.conv.outHeight(), width = stage.conv.outWidth(), rows = height / kPool, columns = width / kPool;
    const int filters = stage.conv.filters;
    for (long image = 0; image < static_cast<long>(stage.conv.images) * filters; ++image) {
        const long first = image * rows * columns;
        float *__restrict grad = stage.pooledGrad + first;
        const float *__restrict out = stage.pooled + first;
        float sum = 0;
        for (int i = 0; i < rows * columns; ++i) grad[i] *= 1 - out[i] * out[i];
        for (int i = 0; i < rows * columns; ++i) sum += grad[i];
        stage.kernelGrad[image % filters] = (image < filters ? 0 : stage.kernelGrad[image % filters]) + sum; // borrowed for the bias
        float *const made = stage.madeGrad + image * height * width;
        const float *const from = stage.made + image * height * width;
        if (kPool == 1) {
            std::memcpy(made, grad, sizeof(float) * static_cast<std::size_t>(height * width));
            continue;
        }
        std::memset(made, 0, sizeof(float) * static_cast<std::size_t>(height * width));
        float most[1024], given[1024];
        for (int y = 0; y < rows; ++y) {
            for (int x = 0; x < columns; ++x) {
                float top = from[y * kPool * width + x * kPool];
                for (int k = 0; k < kPool; ++k)
                    for (int j = 0; j < kPool; ++j) {
                        const float one = from[(y * kPool + k) * width + x * kPool + j];
                        top = one > top ? one : top;
                    }
                for (int j = 0; j < kPool; ++j) most[x * kPool + j] = top, given[x * kPool + j] = grad[y * columns + x];
            }
            for (int k = 0; k < kPool; ++k) {
                float *__restrict to = made + (y * kPool + k) * width;
                const float *__restrict at = from + (y * kPool + k) * width;
                for (int x = 0; x < columns * kPool; ++x) to[x] = at[x] == most[x] ? given[x] : 0.0f;
            }
        }
    }
    for (int f = 0; f < filters; ++f) stage.bias[f] -= kRate * stage.kernelGrad[f];
}

void forward(LimitStage &stage, bool isTuned, const float *x)
{
    convolve(stage, 0, isTuned, x, stage.kernels, stage.made);
    stage.pool == 2 ? largest<2>(stage) : stage.pool == 5 ? largest<5>(stage) : largest<1>(stage);
}

void backward(LimitStage &stage, bool isTuned, const float *x, float *xGrad)
{
    stage.pool == 2 ? largestBack<2>(stage) : stage.pool == 5 ? largestBack<5>(stage) : largestBack<1>(stage);
    if (xGrad) convolve(stage, 2, isTuned, stage.kernels, stage.madeGrad, xGrad);
    convolve(stage, 1, isTuned, x, stage.madeGrad, stage.kernelGrad);
    const LimitConv &c = stage.conv;
    for (int i = 0; i < c.filters * c.channels * c.side * c.side; ++i) stage.kernels[i] -= kRate * stage.kernelGrad[i];
}

} // namespace

float limit_conv_net(LimitConvNet *net)
{
    LimitConvNet &n = *net;
    const auto gemm = engine::blas().f32.gemm;
    const int images = n.first.conv.images, classes = n.classes;
    const LimitConv &last = n.second.conv;
    const int features = last.filters * (last.outHeight() / n.second.pool) * (last.outWidth() / n.second.pool);
    forward(n.first, n.isTuned, n.x);
    forward(n.second, n.isTuned, n.first.pooled);
    const float *top = n.second.pooled;
    int wide = features;
    if (n.hidden) {
        gemm(false, false, images, n.hidden, features, 1, top, features, n.W, n.hidden, 0, n.h, n.hidden);
        for (int i = 0; i < images; ++i)
            for (int j = 0; j < n.hidden; ++j) n.h[i * n.hidden + j] = tanhf(n.h[i * n.hidden + j] + n.b[j]);
        top = n.h;
        wide = n.hidden;
    }
    gemm(false, false, images, classes, wide, 1, top, wide, n.V, classes, 0, n.p, classes);
    float loss = 0;
    const float share = 1.0f / static_cast<float>(images);
    for (int i = 0; i < images; ++i) {
        float *row = n.p + i * classes, most = row[0] + n.c[0], sum = 0;
        for (int j = 0; j < classes; ++j) {
            row[j] += n.c[j];
            most = std::max(most, row[j]);
        }
        for (int j = 0; j < classes; ++j) sum += row[j] = expf(row[j] - most);
        loss += (logf(sum) - logf(row[n.y[i]])) * share;
        for (int j = 0; j < classes; ++j) row[j] *= share / sum;
        row[n.y[i]] -= share;
    }
    float *const topGrad = n.hidden ? n.hGrad : n.second.pooledGrad;
    gemm(false, true, images, wide, classes, 1, n.p, classes, n.V, classes, 0, topGrad, wide);
    gemm(true, false, wide, classes, images, -kRate, top, wide, n.p, classes, 1, n.V, classes);
    for (int i = 0; i < images; ++i)
        for (int j = 0; j < classes; ++j) n.c[j] -= kRate * n.p[i * classes + j];
    if (n.hidden) {
        for (int i = 0; i < images * n.hidden; ++i) n.hGrad[i] *= 1 - n.h[i] * n.h[i];
        gemm(false, true, images, features, n.hidden, 1, n.hGrad, n.hidden, n.W, n.hidden, 0, n.second.pooledGrad, features);
        for (int i = 0; i < images; ++i)
            for (int j = 0; j < n.hidden; ++j) n.b[j] -= kRate * n.hGrad[i * n.hidden + j];
        gemm(true, false, features, n.hidden, images, -kRate, n.second.pooled, features, n.hGrad, n.hidden, 1, n.W, n.hidden);
    }
    backward(n.second, n.isTuned, n.first.pooled, n.first.pooledGrad);
    backward(n.first, n.isTuned, n.x, nullptr);
    n.isTuned = 1;
    return loss;
}
