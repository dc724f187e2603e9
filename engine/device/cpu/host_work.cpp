#include "engine/device/cpu/host_work.h"

#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/compiler/unit_builder.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/sizes.h"

#include <atomic>

namespace engine {
namespace {

class HostKernel final : public BuiltKernel {
public:
    HostKernel(KernelFunction function, std::vector<RtLoop> math) : m_function(function), m_math(std::move(math)) {}
    void run(void *const *operands, long n) const { m_function(operands, m_math.data(), n); }

private:
    KernelFunction m_function;
    std::vector<RtLoop> m_math;
};

template <class T>
void multiply(const MatrixProduct &product)
{
    const auto at = [](const MatrixProduct::Matrix &matrix, std::int64_t i) {
        return static_cast<T *>(matrix.address) + i * matrix.distance;
    };
    const auto size = [](std::int64_t n) { return librarySize(n, "BLAS"); };
    const MatrixProduct::Matrix &a = product.a, &b = product.b, &c = product.c;
    const auto alpha = static_cast<T>(product.alpha), beta = static_cast<T>(product.beta);
    const BlasFunctions<T> &functions = blas().of<T>();
    // A matrix by a vector: rows and columns as they lie.
    const std::int64_t rows = a.isTransposed ? product.k : product.m, columns = a.isTransposed ? product.m : product.k;
    for (std::int64_t i = 0; i < product.count; ++i)
        if (product.n == 1 && product.k > 0)
            functions.gemv(a.isTransposed, size(rows), size(columns), alpha, at(a, i), size(a.leading), at(b, i),
                           b.isTransposed ? 1 : size(b.leading), beta, at(c, i), size(c.leading));
        else
            functions.gemm(a.isTransposed, b.isTransposed, size(product.m), size(product.n), size(product.k), alpha, at(a, i),
                           size(a.leading), at(b, i), size(b.leading), beta, at(c, i), size(c.leading));
}

} // namespace

std::shared_ptr<BuiltKernel> buildHostKernel(const KernelSource &source, const std::string &device)
{
    static const std::atomic<bool> kStaying{false};
    BuiltUnit built = buildUnit(source.text, 1, kStaying);
    if (built.functions.empty()) throw DeviceError(device + " cannot build the kernel " + source.name + ": " + built.messages, 0);
    return std::make_shared<HostKernel>(built.functions[0], source.math);
}

void runHostKernel(const BuiltKernel &kernel, std::span<const KernelArgument> arguments)
{
    std::vector<void *> operands;
    for (const KernelArgument &argument : arguments)
        operands.push_back(argument.kind == KernelArgument::Kind::Address ? argument.address
                                                                          : const_cast<std::int64_t *>(&argument.integer));
    const long n = arguments.empty() ? 0 : arguments.back().integer;
    static_cast<const HostKernel &>(kernel).run(operands.data(), n);
}

void multiplyOnHost(const MatrixProduct &product)
{
    if (product.dtype == DType::Float32) multiply<float>(product);
    else if (product.dtype == DType::Float64) multiply<double>(product);
    else throw DeviceError("products of " + std::string(nameOf(product.dtype)) + " are done elsewhere", 0);
}

} // namespace engine
