// Ratios in one run on cuda0: what Croton makes of a card beside what the card gives bare. --small: a few elements, for the simulated CUDA,
// whose ratios say nothing; the sums are checked all the same.
#include "engine/compile/function/function.h"
#include "engine/device/cuda/api.h"
#include "engine/device/offers.h"
#include "engine/graph/ir/clone.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/text/notation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace engine;

namespace {

bool g_isSmall = false;
int g_faults = 0;

double secondsOf(Device &card, const std::function<void()> &work, int repeats)
{
    work();
    card.stream().finish();
    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < repeats; ++k) work();
        card.stream().finish();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeats);
    }
    return best;
}

std::shared_ptr<Function> compile(const char *text, DeviceId device)
{
    const ParsedExpression parsed = parseExpression(text);
    FunctionSpec spec;
    for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    for (const VarRef &output : parsed.outputs) spec.outputs.push_back(transfer(output, device));
    spec.mode = Mode::named("FAST_RUN");
    spec.mode.device = device;
    return Function::compile(std::move(spec));
}

/// Seconds of a function of one float32 matrix that lives on the card.
double secondsOf(Device &card, const char *text, Dims shape)
{
    const ParsedExpression parsed = parseExpression(text);
    const VarRef &given = parsed.inputs.at(0);
    const VarRef there = Variable::shared(std::make_shared<Container>(Value(onDevice(Tensor::full(DType::Float32, shape, 0.5), card.id()))),
                                          given->type().on(card.id()), "x");
    FunctionSpec spec;
    for (const VarRef &output : substitute(parsed.outputs, std::vector{given}, std::vector{transfer(there, DeviceId::Host)}))
        spec.outputs.push_back(transfer(output, card.id()));
    spec.mode = Mode::named("FAST_RUN");
    spec.mode.device = card.id();
    const auto function = Function::compile(std::move(spec));
    std::vector<Value> results;
    return secondsOf(
        card, [&] { function->call({}, results); }, g_isSmall ? 1 : 10);
}

void bandwidths(Device &card)
{
    const std::int64_t rows = g_isSmall ? 64 : 8192, n = rows * rows;
    const auto bytes = static_cast<std::size_t>(n) * 4;
    double copy = 0;
    {
        const StorageRef from = card.allocate(bytes, card.stream()), to = card.allocate(bytes, card.stream());
        copy = secondsOf(
            card, [&] { card.stream().copyWithin(to->data(), from->data(), bytes); }, 10);
    }
    const struct {
        const char *name, *text;
        double passes; ///< of the array through memory; a copy has two
        const char *wanted;
    } rowsOfTable[] = {
        {"elementwise, x * 2 + 1", "x: fmatrix; x * 2 + 1", 2, " (wanted: 0.85)"},
        {"elementwise, exp(-x * x)", "x: fmatrix; exp(-x * x)", 2, " (wanted: 0.85)"},
        {"elementwise with columns, x * x[0] + 1", "x: fmatrix; x * x[0] + 1", 2, ""},
        {"transposed, x.T * 2 + x", "x: fmatrix; x.T * 2 + x", 3, ""},
        {"sum of all", "x: fmatrix; sum(x * x)", 1, ""},
        {"sums of rows", "x: fmatrix; sum(x, axis=1)", 1, ""},
        {"sums of columns", "x: fmatrix; sum(x, axis=0)", 1, ""},
        {"softmax of rows", "x: fmatrix; softmax(x)", 2, ""},
    };
    for (const auto &row : rowsOfTable)
        std::printf("%s, %lld elements: %.3f of the bandwidth of a copy on the card%s\n", row.name, static_cast<long long>(n),
                    copy / 2 * row.passes / secondsOf(card, row.text, {rows, rows}), row.wanted);
}

#ifdef CROTON_HAS_CUBLAS
void products(Device &card)
{
    const int n = g_isSmall ? 16 : 4096;
    const std::size_t bytes = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * 4;
    const StorageRef a = card.allocate(bytes, card.stream()), b = card.allocate(bytes, card.stream()),
                     c = card.allocate(bytes, card.stream());
    const std::vector<float> ones(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 1);
    for (const StorageRef &one : {a, b, c}) card.stream().copyIn(one->data(), ones.data(), bytes);
    MatrixProduct product{.m = n, .n = n, .k = n};
    product.a = {a->data(), n, 0, false};
    product.b = {b->data(), n, 0, false};
    product.c = {c->data(), n, 0, false};
    const int repeats = g_isSmall ? 1 : 20;
    const double ours = secondsOf(
        card, [&] { card.stream().multiply(product); }, repeats);
    cublasHandle_t handle = nullptr;
    cudaStream_t stream = nullptr;
    cublas().cublasCreate(&handle);
    cudart().cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cublas().cublasSetStream(handle, stream);
    const float alpha = 1, beta = 0;
    const auto bare = [&] {
        cublas().cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, static_cast<float *>(b->data()), n,
                             static_cast<float *>(a->data()), n, &beta, static_cast<float *>(c->data()), n);
    };
    double best = 1e30;
    for (int i = 0; i < 6; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < repeats; ++k) bare();
        cudart().cudaStreamSynchronize(stream);
        if (i) best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeats);
    }
    cublas().cublasDestroy(handle);
    cudart().cudaStreamDestroy(stream);
    std::printf("gemm %d: %.3f of the time of bare cuBLAS (wanted: at most 1.03)\n", n, ours / best);
}
#endif

// What CUPTI tells in all, against what it tells of applies; and what watching costs.
void watching(Device &card)
{
    const auto f = compile("x: fmatrix; w: fmatrix; v: fmatrix; softmax(dot(tanh(dot(x, w)), v))", card.id());
    const std::int64_t n = g_isSmall ? 8 : 512;
    std::vector<Value> inputs(3, Value(Tensor::full(DType::Float32, {n, n}, 0.01)));
    std::vector<Value> results;
    const auto call = [&] { f->call(inputs, results); };
    const int repeats = g_isSmall ? 2 : 200;
    const double plain = secondsOf(card, call, repeats);
    card.stream().finish();
    card.drain();
    card.watch(true);
    const double watched = secondsOf(card, call, repeats);
    card.watch(false);
    if (!card.watchProblem().empty()) {
        std::printf("device times: none, for %s\n", card.watchProblem().c_str());
        return;
    }
    std::uint64_t all = 0, known = 0;
    for (const DeviceActivity &activity : card.drain()) {
        if (activity.kind > DeviceActivity::Kind::Fill) continue; // beside work
        all += activity.end - activity.begin;
        if (activity.tag) known += activity.end - activity.begin;
    }
    std::printf("device time of applies: %.4f of all that CUPTI told (wanted: at least 0.98)\n",
                static_cast<double>(known) / static_cast<double>(std::max<std::uint64_t>(all, 1)));
    if (all == 0 || static_cast<double>(known) < 0.98 * static_cast<double>(all)) ++g_faults;
    if (card.lostActivities()) std::printf("CUPTI dropped records\n");
    std::printf("a call while watched: %.3f of one that is not (wanted: at most 1.10)\n", watched / plain);
}

} // namespace

int main(int count, char **words)
{
    for (int i = 1; i < count; ++i) g_isSmall |= std::strcmp(words[i], "--small") == 0;
    try {
        Device &card = openDevice("cuda0");
        std::printf("%s: %s\n", card.info().name.c_str(), card.info().hardware.c_str());
        bandwidths(card);
#ifdef CROTON_HAS_CUBLAS
        if (cublas().problem.empty()) products(card);
        else std::printf("gemm: %s\n", cublas().problem.c_str());
#endif
        watching(card);
    } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
        return 77;
    }
    return g_faults ? 1 : 0;
}
