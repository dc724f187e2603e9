#include "engine/compile/debug/debug_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace engine {
namespace {

constexpr int kNotANumber = 0xff; // as a byte of any dtype: nan, -1, a truth value that is neither

Tensor strided(DType dtype, const Dims &shape, const std::vector<std::size_t> &fastestFirst, std::int64_t step)
{
    const std::int64_t reach = std::abs(step);
    Dims strides = shape;
    std::int64_t bytes = static_cast<std::int64_t>(sizeOf(dtype)), back = 0;
    for (const std::size_t axis : fastestFirst) {
        strides[axis] = bytes * step;
        if (step < 0) back += std::max<std::int64_t>(shape[axis] - 1, 0) * bytes * reach;
        bytes *= std::max<std::int64_t>(shape[axis], 1) * reach;
    }
    const Tensor whole = Tensor::empty(DType::Int8, Dims{bytes});
    std::memset(whole.as<char>(), kNotANumber, static_cast<std::size_t>(bytes));
    return {dtype, shape, strides, whole.as<char>() + back, whole.storage()};
}

Value dense(const Tensor &like, std::int64_t more, bool isFortran)
{
    Dims shape = like.shape();
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        shape[axis] = std::max<std::int64_t>(shape[axis] + more, 0);
        order.push_back(isFortran ? axis : shape.size() - 1 - axis);
    }
    return strided(like.dtype(), shape, order, 1);
}

Value apart(const Tensor &like, std::int64_t step)
{
    std::vector<std::size_t> order;
    for (std::size_t axis = like.shape().size(); axis-- > 0;) order.push_back(axis);
    return strided(like.dtype(), like.shape(), order, step);
}

bool isSmall(std::span<const Value> values, int mostRank)
{
    return std::all_of(values.begin(), values.end(),
                       [&](const Value &v) { return v.tensor().rank() > 0 && v.tensor().rank() <= mostRank; });
}

} // namespace

std::vector<FoundOutputs> foundOutputs(std::span<const OutputMemory> kinds, std::span<const Value> results, std::span<const Value> left,
                                       int mostRank, bool isPlanned)
{
    std::vector<FoundOutputs> found;
    if (std::any_of(results.begin(), results.end(), [](const Value &value) { return !value.isTensor(); })) return found;
    const auto add = [&](std::string text, auto make) {
        FoundOutputs one{std::move(text), {}};
        for (const Value &value : results) one.values.push_back(make(value.tensor()));
        found.push_back(std::move(one));
    };
    for (const OutputMemory kind : kinds) {
        const std::string text(nameOf(kind));
        switch (kind) {
        case OutputMemory::Initial:
            if (!left.empty() && !isPlanned) found.push_back({text, {left.begin(), left.end()}});
            break;
        case OutputMemory::Previous: add(text, [](const Tensor &like) { return Value(like.copy()); }); break;
        case OutputMemory::Contiguous: add(text, [](const Tensor &like) { return dense(like, 0, false); }); break;
        case OutputMemory::Fortran:
            if (!isPlanned) add(text, [](const Tensor &like) { return dense(like, 0, true); });
            break;
        case OutputMemory::Strided:
            if (isPlanned || !isSmall(results, mostRank)) break;
            for (const std::int64_t step : {2, -1, -2})
                add(text + " by " + std::to_string(step), [&](const Tensor &like) { return apart(like, step); });
            break;
        case OutputMemory::WrongSize:
            if (isPlanned || !isSmall(results, mostRank)) break;
            add(text + ", each axis longer by 1", [](const Tensor &like) { return dense(like, 1, false); });
            add(text + ", each axis shorter by 1", [](const Tensor &like) { return dense(like, -1, false); });
        }
    }
    return found;
}

} // namespace engine
