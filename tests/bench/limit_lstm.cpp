// A training step of an LSTM written out by hand: our products, and loops. Called by networks.py.
#include "tests/bench/limit_networks.h"

#include "engine/device/cpu/blas.h"

#include <cstring>

// No <cmath>: these declarations let the compiler call the vector forms of the C library.
extern "C" {
__attribute__((simd("notinbranch"), const)) float expf(float);
__attribute__((simd("notinbranch"), const)) float tanhf(float);
}

namespace {

inline float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

// Gates of one sequence in place: admit, keep, tell, offered, side by side.
void forwardRow(float *__restrict gates, const float *__restrict bias, const float *__restrict memory, float *__restrict next,
                float *__restrict bounded, float *__restrict hidden, long units)
{
    for (long j = 0; j < 3 * units; ++j) gates[j] = logistic(gates[j] + bias[j]);
    for (long j = 3 * units; j < 4 * units; ++j) gates[j] = tanhf(gates[j] + bias[j]);
    const float *__restrict admit = gates, *__restrict keep = gates + units, *__restrict tell = gates + 2 * units,
                            *__restrict offered = gates + 3 * units;
    for (long j = 0; j < units; ++j) next[j] = keep[j] * memory[j] + admit[j] * offered[j];
    for (long j = 0; j < units; ++j) bounded[j] = tanhf(next[j]);
    for (long j = 0; j < units; ++j) hidden[j] = tell[j] * bounded[j];
}

// The gates become their gradients; `memoryGrad` is what comes from later steps, then what goes to earlier ones.
void backwardRow(float *__restrict gates, const float *__restrict memory, const float *__restrict bounded, const float *__restrict hidden,
                 const float *__restrict later, float *__restrict memoryGrad, float *__restrict bias, float scale, long units)
{
    float *__restrict admit = gates, *__restrict keep = gates + units, *__restrict tell = gates + 2 * units,
                      *__restrict offered = gates + 3 * units;
    for (long j = 0; j < units; ++j) {
        const float a = admit[j], k = keep[j], t = tell[j], o = offered[j], b = bounded[j];
        const float g = later[j] + scale * hidden[j];
        const float m = memoryGrad[j] + g * t * (1 - b * b);
        admit[j] = m * o * a * (1 - a);
        keep[j] = m * memory[j] * k * (1 - k);
        tell[j] = g * b * t * (1 - t);
        offered[j] = m * a * (1 - o * o);
        memoryGrad[j] = m * k;
    }
    for (long j = 0; j < 4 * units; ++j) bias[j] += gates[j];
}

} // namespace

float limit_lstm(const LimitLstm *of)
{
    const LimitLstm &n = *of;
    const auto gemm = engine::blas().f32.gemm;
    const int units = n.units, batch = n.batch, steps = n.steps, inputs = n.inputs, wide = 4 * units, all = batch * steps;
    const long state = static_cast<long>(batch) * units;
    const float rate = 0.1f, scale = 2.0f / static_cast<float>(state * steps);
    gemm(false, false, all, wide, inputs, 1, n.x, inputs, n.W, wide, 0, n.gates, wide);
    for (int t = 0; t < steps; ++t) {
        float *const gates = n.gates + t * 4 * state;
        gemm(false, false, batch, wide, units, 1, n.hidden + t * state, units, n.U, wide, 1, gates, wide);
        for (int row = 0; row < batch; ++row) {
            const long at = t * state + static_cast<long>(row) * units;
            forwardRow(gates + static_cast<long>(row) * wide, n.b, n.memory + at, n.memory + at + state, n.bounded + at,
                       n.hidden + at + state, units);
        }
    }
    double cost = 0;
    for (long i = 0; i < state * steps; ++i) cost += n.hidden[state + i] * n.hidden[state + i];
    std::memset(n.later, 0, sizeof(float) * static_cast<std::size_t>(state));
    std::memset(n.memoryGrad, 0, sizeof(float) * static_cast<std::size_t>(state));
    std::memset(n.biasGrad, 0, sizeof(float) * static_cast<std::size_t>(wide));
    for (int t = steps - 1; t >= 0; --t) {
        float *const gates = n.gates + t * 4 * state;
        for (int row = 0; row < batch; ++row) {
            const long in = static_cast<long>(row) * units, at = t * state + in;
            backwardRow(gates + static_cast<long>(row) * wide, n.memory + at, n.bounded + at, n.hidden + at + state, n.later + in,
                        n.memoryGrad + in, n.biasGrad, scale, units);
        }
        gemm(false, true, batch, units, wide, 1, gates, wide, n.U, wide, 0, n.later, units);
    }
    gemm(true, false, inputs, wide, all, -rate, n.x, inputs, n.gates, wide, 1, n.W, wide);
    gemm(true, false, units, wide, all, -rate, n.hidden, units, n.gates, wide, 1, n.U, wide);
    for (int j = 0; j < wide; ++j) n.b[j] -= rate * n.biasGrad[j];
    return static_cast<float>(cost / static_cast<double>(state * steps));
}
