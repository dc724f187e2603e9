#include "engine/graph/precise_form.h"

#include "engine/tensor/errors.h"

#include <typeindex>
#include <unordered_map>

namespace engine {
namespace {

std::unordered_map<std::type_index, PreciseForm> &preciseForms()
{
    static auto *all = new std::unordered_map<std::type_index, PreciseForm>;
    return *all;
}

} // namespace

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

bool registerPreciseForm(const std::type_info &op, PreciseForm form)
{
    const bool isNew = preciseForms().emplace(std::type_index(op), std::move(form)).second;
    ENGINE_ASSERT(isNew, "an op has two precise forms");
    return isNew;
}

std::size_t preciseFormCount() { return preciseForms().size(); }

const PreciseForm *findPreciseForm(const Op &op)
{
    const auto found = preciseForms().find(std::type_index(op.dynamicType()));
    return found == preciseForms().end() ? nullptr : &found->second;
}

} // namespace engine
