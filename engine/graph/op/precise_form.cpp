#include "engine/graph/op/precise_form.h"

namespace engine {

std::optional<PreciseArray> PreciseArray::of(const Tensor &tensor)
{
    if (isComplex(tensor.dtype())) return std::nullopt;
    PreciseArray result = sized(tensor.shape());
    const bool isWhole = isInteger(tensor.dtype());
    const Tensor dense = tensor.converted(isWhole ? DType::Int64 : DType::Float64);
    for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] = isWhole ? Precise(dense.as<std::int64_t>()[i]) : Precise(dense.as<double>()[i]);
    return result;
}

void PreciseCall::needAll() const
{
    for (const PreciseRef &input : inputs)
        if (!input) throw NotPrecise(op.friendlyName() + " reads what has no precise form");
}

} // namespace engine
