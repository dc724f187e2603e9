#include "profiler/record/work_rates.h"

#include "engine/scalar/registers.h"
#include "engine/scalar/scalar_program.h"
#include "profiler/record/roofs.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace profiler {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSamples = 5; // of a function, at different times

double nsOf(auto work)
{
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// The best of a few rounds, each long enough for the clock: what is reached when nothing disturbs.
double bestNs(auto work)
{
    constexpr double kRoundNs = 10'000;
    constexpr int kRounds = 7;
    double once = 1e18; // of several: one that was interrupted would leave too little for the clock
    for (int round = 0; round < kRounds; ++round) once = std::min(once, nsOf(work));
    const int times = std::max(1, static_cast<int>(kRoundNs / std::max(1.0, once)));
    double best = 1e18;
    for (int round = 0; round < kRounds; ++round)
        best = std::min(best, nsOf([&] {
                            for (int i = 0; i < times; ++i) work();
                        }));
    return best / times;
}

// Blocks of the interpreter's registers with values that functions are defined for.
class Registers {
public:
    explicit Registers(const engine::ScalarOp *function) : m_isAboveOne(needsMoreThanOne(function)) {}

    void *of(RtKind kind)
    {
        std::vector<double> &memory = m_blocks.emplace_back(2 * engine::kBlockElements + 8);
        void *const block = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) & ~std::uintptr_t(63));
        for (long i = 0; i < engine::kBlockElements; ++i) {
            const double value = 0.3 + 0.5 * static_cast<double>(i % 37) / 37 + (m_isAboveOne ? 1 : 0);
            switch (kind) {
            case RT_BOOL: static_cast<unsigned char *>(block)[i] = i % 3 == 0; break;
            case RT_F32: static_cast<float *>(block)[i] = static_cast<float>(value); break;
            case RT_F64: static_cast<double *>(block)[i] = value; break;
            case RT_COMPLEX: static_cast<double *>(block)[2 * i] = static_cast<double *>(block)[2 * i + 1] = value; break;
            default: static_cast<std::int64_t *>(block)[i] = 1 + i % 37; break;
            }
        }
        return block;
    }

private:
    static bool needsMoreThanOne(const engine::ScalarOp *function)
    {
        if (!function || function->arity() != 1) return false;
        const double half = 0.5;
        return std::isnan(function->evaluate({&half, 1}));
    }

    bool m_isAboveOne;
    std::vector<std::vector<double>> m_blocks;
};

double programNs(const engine::ScalarOp *function, std::span<const engine::DType> arguments, engine::DType result)
{
    const engine::ScalarProgram program(function, arguments, {&result, 1});
    Registers registers(function);
    std::vector<void *> blocks;
    for (const engine::ScalarProgram::Block &block : program.blocks()) blocks.push_back(registers.of(block.type));
    const double blockNs = bestNs([&] {
        for (const engine::ScalarProgram::Step &step : program.steps()) {
            const void *in[4] = {};
            for (int i = 0; i < step.inputCount; ++i) in[i] = blocks[step.inputs[i]];
            step.loop(blocks[step.output], in, engine::kBlockElements);
        }
    });
    return blockNs / static_cast<double>(engine::kBlockElements);
}

RtReduce reductionOf(engine::ScalarCode code)
{
    switch (code) {
    case engine::ScalarCode::Mul: return RT_PROD;
    case engine::ScalarCode::Maximum: return RT_MAX;
    case engine::ScalarCode::Minimum: return RT_MIN;
    case engine::ScalarCode::Or: return RT_ANY;
    case engine::ScalarCode::And: return RT_ALL;
    default: return RT_SUM;
    }
}

double foldNs(engine::ScalarCode code, engine::DType element, engine::DType accumulator)
{
    const RtKind kind = engine::registerKind(element);
    const RtReduce reduce = reductionOf(code);
    const bool isWide = kind == RT_F32 && engine::registerKind(accumulator) == RT_F64 && reduce <= RT_PROD;
    const RtFold fold = isWide ? rt_table()->wideFolds[reduce] : rt_table()->folds[reduce][kind];
    if (!fold) return 0;
    Registers registers(nullptr);
    const void *block = registers.of(kind);
    alignas(16) char total[16] = {};
    return bestNs([&] { fold(block, engine::kBlockElements, total); }) / static_cast<double>(engine::kBlockElements);
}

double cacheBytes(int name, double otherwise)
{
    const long found = sysconf(name);
    return found > 0 ? static_cast<double>(found) : otherwise;
}

} // namespace

WorkRates::WorkRates(const std::vector<Roof> &roofs)
    : m_firstCache(cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 32e3)), m_secondCache(cacheBytes(_SC_LEVEL2_CACHE_SIZE, 1e6))
{
    for (const Roof &roof : roofs) {
        if (roof.name == "flops.float32") m_float32Flops = roof.value * 1e-9;
        if (roof.name == "flops.float64") m_float64Flops = roof.value * 1e-9;
        if (roof.name == "bandwidth.memory") m_memory = roof.value * 1e-9;
        if (roof.name == "bandwidth.cache") m_cache = roof.value * 1e-9;
    }
}

double WorkRates::elementNs(const engine::WorkStep &step)
{
    if (step.kind == engine::WorkStep::Kind::Literal) return 0;
    std::string name = step.kind == engine::WorkStep::Kind::Fold ? "fold." : "";
    name += step.function->symbol();
    for (const engine::DType dtype : step.arguments) name += "." + std::string(engine::nameOf(dtype));
    std::lock_guard lock(m_mutex);
    Rate &rate = m_elements[std::move(name)];
    if (rate.samples == kSamples) return rate.ns;
    const double ns = step.kind == engine::WorkStep::Kind::Fold ? foldNs(step.function->code(), step.arguments[0], step.result)
                                                                : programNs(step.function, step.arguments, step.result);
    rate.ns = rate.samples == 0 ? ns : std::min(rate.ns, ns);
    ++rate.samples;
    return rate.ns;
}

double WorkRates::trafficNs(double bytes, double workingSet) const
{
    const double rate = workingSet <= m_firstCache ? 0 : workingSet <= m_secondCache ? m_cache : m_memory;
    return rate > 0 ? bytes / rate : 0;
}

double WorkRates::applyNs(const engine::Op &op, std::span<const SizedArray> inputs, std::span<const SizedArray> outputs) const
{
    double bytes = 0;
    bool isSingle = true;
    for (const auto &arrays : {inputs, outputs})
        for (const SizedArray &array : arrays) {
            bytes += array.bytes();
            isSingle = isSingle && engine::realPart(array.type.dtype()) != engine::DType::Float64;
        }
    const engine::Cost cost = engine::costOf(op, inputs, outputs);
    const double flops = isSingle ? m_float32Flops : m_float64Flops;
    return std::max(flops > 0 ? cost.flops / flops : 0, trafficNs(cost.bytes, bytes));
}

std::vector<Roof> WorkRates::measured() const
{
    std::lock_guard lock(m_mutex);
    std::vector<Roof> roofs;
    for (const auto &[name, rate] : m_elements) roofs.push_back({"cpu", "element." + name, rate.ns, "ns"});
    return roofs;
}

WorkRates &machineRates()
{
    static WorkRates rates(machineRoofs());
    return rates;
}

} // namespace profiler
