// Convolutions written out by hand (steps of 1, kernels applied forwards, no borders), and the same by oneDNN. Called by networks.py.
#include "tests/bench/limit_networks.h"

#include "engine/device/cpu/one_dnn_conv.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

typedef float Vector __attribute__((vector_size(64), aligned(4)));
typedef float Whole __attribute__((vector_size(64)));

inline Whole load(const float *from) { return *reinterpret_cast<const Vector *>(from); }
inline void store(float *to, Whole value) { *reinterpret_cast<Vector *>(to) = value; }

// kFilters x kVectors vectors of what comes out stay in registers.
template <int kFilters, int kVectors, int kSide>
inline void tile(const LimitConv &c, const float *image, const float *kernels, float *out)
{
    Whole sums[kFilters][kVectors] = {};
    const long window = static_cast<long>(c.channels) * kSide * kSide, pixels = static_cast<long>(c.outHeight()) * c.outWidth();
    for (int channel = 0; channel < c.channels; ++channel)
        for (int y = 0; y < kSide; ++y) {
            const float *const row = image + (static_cast<long>(channel) * c.height + y) * c.width;
            const float *const weights = kernels + (static_cast<long>(channel) * kSide + y) * kSide;
            for (int x = 0; x < kSide; ++x) {
                Whole pixel[kVectors];
                for (int v = 0; v < kVectors; ++v) pixel[v] = load(row + x + 16 * v);
                for (int f = 0; f < kFilters; ++f)
                    for (int v = 0; v < kVectors; ++v) sums[f][v] += pixel[v] * weights[f * window + x];
            }
        }
    for (int f = 0; f < kFilters; ++f)
        for (int v = 0; v < kVectors; ++v) store(out + f * pixels + 16 * v, sums[f][v]);
}

template <int kFilters, int kSide>
void narrowTile(const LimitConv &c, const float *image, const float *kernels, float *out, int width)
{
    const long window = static_cast<long>(c.channels) * kSide * kSide, pixels = static_cast<long>(c.outHeight()) * c.outWidth();
    for (int x = 0; x < width; ++x)
        for (int f = 0; f < kFilters; ++f) {
            float sum = 0;
            for (int channel = 0; channel < c.channels; ++channel)
                for (int y = 0; y < kSide; ++y)
                    for (int k = 0; k < kSide; ++k)
                        sum += image[(static_cast<long>(channel) * c.height + y) * c.width + x + k] *
                               kernels[f * window + (static_cast<long>(channel) * kSide + y) * kSide + k];
            out[f * pixels + x] = sum;
        }
}

template <int kFilters, int kSide>
void forward(const LimitConv &c, const float *images, const float *kernels, float *out)
{
    const int width = c.outWidth(), height = c.outHeight();
    const long window = static_cast<long>(c.channels) * kSide * kSide, pixels = static_cast<long>(height) * width;
    for (int n = 0; n < c.images; ++n)
        for (int f = 0; f < c.filters; f += kFilters)
            for (int y = 0; y < height; ++y) {
                const float *const image = images + static_cast<long>(n) * c.channels * c.height * c.width + static_cast<long>(y) * c.width;
                const float *const weights = kernels + f * window;
                float *const row = out + (static_cast<long>(n) * c.filters + f) * pixels + static_cast<long>(y) * width;
                int x = 0;
                for (; x + 64 <= width; x += 64) tile<kFilters, 4, kSide>(c, image + x, weights, row + x);
                for (; x + 16 <= width; x += 16) tile<kFilters, 1, kSide>(c, image + x, weights, row + x);
                if (x == width) continue;
                if (width >= 16) tile<kFilters, 1, kSide>(c, image + width - 16, weights, row + width - 16);
                else narrowTile<kFilters, kSide>(c, image, weights, row, width);
            }
}

template <int kSide>
void forwardBy(const LimitConv &c, const float *images, const float *kernels, float *out)
{
    if (c.filters % 6 == 0) forward<6, kSide>(c, images, kernels, out);
    else if (c.filters % 5 == 0) forward<5, kSide>(c, images, kernels, out);
    else if (c.filters % 4 == 0) forward<4, kSide>(c, images, kernels, out);
    else if (c.filters % 3 == 0) forward<3, kSide>(c, images, kernels, out);
    else forward<1, kSide>(c, images, kernels, out);
}

// The convolution of what came out, with zeros around it, by the kernels turned round.
template <int kSide>
void image(const LimitConv &c, const float *kernels, const float *grad, float *images)
{
    static thread_local std::vector<float> padded, turned;
    static thread_local LimitConv laidOut{};
    const int height = c.outHeight(), width = c.outWidth();
    LimitConv back{c.images, c.filters, height + 2 * (kSide - 1), width + 2 * (kSide - 1), c.channels, kSide};
    if (std::memcmp(&laidOut, &c, sizeof c) != 0) // else its border is zero
        padded.assign(static_cast<std::size_t>(c.images) * c.filters * back.height * back.width, 0.0f);
    laidOut = c;
    turned.resize(static_cast<std::size_t>(c.filters) * c.channels * kSide * kSide);
    for (long part = 0; part < static_cast<long>(c.images) * c.filters; ++part)
        for (int y = 0; y < height; ++y)
            std::memcpy(padded.data() + (part * back.height + y + kSide - 1) * back.width + kSide - 1, grad + (part * height + y) * width,
                        sizeof(float) * static_cast<std::size_t>(width));
    for (int channel = 0; channel < c.channels; ++channel)
        for (int f = 0; f < c.filters; ++f)
            for (int k = 0; k < kSide * kSide; ++k)
                turned[static_cast<std::size_t>((channel * c.filters + f) * kSide * kSide + k)] =
                    kernels[(f * c.channels + channel) * kSide * kSide + kSide * kSide - 1 - k];
    forwardBy<kSide>(back, padded.data(), turned.data(), images);
}

// kFilters x kSide sums in registers, vectors along a row.
template <int kFilters, int kSide>
void weights(const LimitConv &c, const float *images, const float *grad, float *kernels)
{
    const int width = c.outWidth(), height = c.outHeight();
    const long pixels = static_cast<long>(height) * width;
    for (int f = 0; f < c.filters; f += kFilters)
        for (int channel = 0; channel < c.channels; ++channel)
            for (int y = 0; y < kSide; ++y) {
                Whole sums[kFilters][kSide] = {};
                float rest[kFilters][kSide] = {};
                for (int n = 0; n < c.images; ++n)
                    for (int row = 0; row < height; ++row) {
                        const float *const from = images + ((static_cast<long>(n) * c.channels + channel) * c.height + row + y) * c.width;
                        const float *const g = grad + (static_cast<long>(n) * c.filters + f) * pixels + static_cast<long>(row) * width;
                        int x = 0;
                        for (; x + 16 <= width; x += 16) {
                            Whole slopes[kFilters];
                            for (int k = 0; k < kFilters; ++k) slopes[k] = load(g + k * pixels + x);
                            for (int t = 0; t < kSide; ++t) {
                                const Whole pixel = load(from + x + t);
                                for (int k = 0; k < kFilters; ++k) sums[k][t] += pixel * slopes[k];
                            }
                        }
                        for (; x < width; ++x)
                            for (int k = 0; k < kFilters; ++k)
                                for (int t = 0; t < kSide; ++t) rest[k][t] += from[x + t] * g[k * pixels + x];
                    }
                for (int k = 0; k < kFilters; ++k)
                    for (int t = 0; t < kSide; ++t) {
                        float sum = rest[k][t];
                        for (int lane = 0; lane < 16; ++lane) sum += sums[k][t][lane];
                        kernels[((static_cast<long>(f) + k) * c.channels + channel) * kSide * kSide + y * kSide + t] = sum;
                    }
            }
}

template <int kSide>
void weightsBy(const LimitConv &c, const float *images, const float *grad, float *kernels)
{
    if (c.filters % 5 == 0 && kSide == 5) weights<5, kSide>(c, images, grad, kernels);
    else if (c.filters % 4 == 0 && kSide <= 5) weights<4, kSide>(c, images, grad, kernels);
    else if (c.filters % 3 == 0) weights<3, kSide>(c, images, grad, kernels);
    else if (c.filters % 2 == 0) weights<2, kSide>(c, images, grad, kernels);
    else weights<1, kSide>(c, images, grad, kernels);
}

template <int kSide>
void direct(const LimitConv &c, int pass, const float *first, const float *second, float *result)
{
    if (pass == 0) forwardBy<kSide>(c, first, second, result);
    else if (pass == 1) weightsBy<kSide>(c, first, second, result);
    else image<kSide>(c, first, second, result);
}

bool byOneDnn(const LimitConv &c, int pass, const float *first, const float *second, float *result)
{
    using engine::OneDnnConvolution;
    OneDnnConvolution of;
    of.pass = pass == 0 ? OneDnnConvolution::Pass::Forward : pass == 1 ? OneDnnConvolution::Pass::Kernels : OneDnnConvolution::Pass::Image;
    of.images = c.images, of.channels = c.channels, of.filters = c.filters;
    of.in = {1, c.height, c.width}, of.kernel = {1, c.side, c.side}, of.out = {1, c.outHeight(), c.outWidth()};
    of.stride = of.dilation = {1, 1, 1};
    return of.run(first, second, result);
}

} // namespace

int limit_conv(const LimitConv *conv, int pass, int byLibrary, const float *first, const float *second, float *result)
{
    if (byLibrary) return byOneDnn(*conv, pass, first, second, result);
    switch (conv->side) {
    case 3: direct<3>(*conv, pass, first, second, result); return 1;
    case 5: direct<5>(*conv, pass, first, second, result); return 1;
    case 7: direct<7>(*conv, pass, first, second, result); return 1;
    default: return 0;
    }
}
