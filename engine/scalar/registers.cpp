#include "engine/scalar/registers.h"

#include <array>
#include <cstdlib>
#include <new>

namespace engine {

static_assert(static_cast<int>(DType::Complex128) == RT_D_C128 && static_cast<int>(DType::Float16) == RT_D_F16 &&
              static_cast<int>(DType::UInt64) == RT_D_U64 && kDTypeCount == RT_DTYPE_COUNT);

RtKind registerKind(DType dtype)
{
    switch (dtype) {
    case DType::Bool: return RT_BOOL;
    case DType::UInt64: return RT_UINT;
    case DType::Float16:
    case DType::Float32: return RT_F32;
    case DType::Float64: return RT_F64;
    case DType::Complex64:
    case DType::Complex128: return RT_COMPLEX;
    default: return RT_INT;
    }
}

RtLoop castLoop(RtKind from, DType to)
{
    const RtLoop narrowing = rt_table()->narrowingCasts[rtDType(to)][from];
    return narrowing ? narrowing : rt_table()->casts[from][registerKind(to)];
}

bool isNativeRegister(DType dtype)
{
    switch (dtype) {
    case DType::Bool:
    case DType::Int64:
    case DType::UInt64:
    case DType::Float32:
    case DType::Float64:
    case DType::Complex128: return true;
    default: return false;
    }
}

DType nativeDType(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return DType::Bool;
    case RT_UINT: return DType::UInt64;
    case RT_F32: return DType::Float32;
    case RT_F64: return DType::Float64;
    case RT_COMPLEX: return DType::Complex128;
    default: return DType::Int64;
    }
}

std::size_t registerBytes(RtKind kind)
{
    switch (kind) {
    case RT_BOOL: return 1;
    case RT_F32: return 4;
    case RT_COMPLEX: return 16;
    default: return 8;
    }
}

// Both lists are the rows, in their order.
static_assert(static_cast<int>(ScalarCode::Cast) == static_cast<int>(RT_MUL_ADD));

std::optional<RtOp> primitiveOf(ScalarCode code)
{
    if (code >= ScalarCode::Cast || code == ScalarCode::Second) return std::nullopt;
    return static_cast<RtOp>(code);
}

namespace {

enum class Results : std::uint8_t { Same, Among, Test };

constexpr auto kResults = [] {
    std::array<Results, RT_OP_COUNT> results{};
#define TEXT(op, arity, kinds, result, ...) results[RT_##op] = Results::result;
#include "engine/rt/functions/all.def"
    results[RT_SWITCH] = Results::Among;
    return results;
}();

} // namespace

bool isTest(RtOp op) { return kResults[op] == Results::Test; }
bool staysInRange(RtOp op) { return kResults[op] != Results::Same; }

namespace {

struct Scratch {
    void *data = nullptr;
    std::size_t bytes = 0;
    ~Scratch() { std::free(data); }
};

// Two words; a plain pointer beside the owner keeps the common path free of the destructor's guard.
thread_local Scratch scratchOwner;
__attribute__((tls_model("initial-exec"))) thread_local void *scratchData = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local std::size_t scratchBytes = 0;

} // namespace

void *threadScratch(std::size_t bytes)
{
    if (bytes > scratchBytes) {
        const std::size_t wanted = (bytes + 4095) & ~std::size_t(4095);
        void *data = std::aligned_alloc(64, wanted);
        if (!data) throw std::bad_alloc();
        std::free(scratchOwner.data);
        scratchOwner.data = scratchData = data;
        scratchOwner.bytes = scratchBytes = wanted;
    }
    return scratchData;
}

} // namespace engine
