#include "engine/rewrite/stabilize/loggable.h"

#include "engine/ops/index/index.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/rewrite/stabilize/logistic.h"

namespace engine {

bool isLoggable(VarHandle v, int depth)
{
    if (!isFloatType(v)) return false;
    if (const auto part = madeBy<Subtensor>(v)) v = part->input(0);
    if (const auto part = madeBy<AdvancedSubtensor>(v)) v = part->input(0);
    if (const auto shuffle = madeBy<DimShuffle>(v)) v = shuffle->input(0);
    if (madeBy<Softmax>(v) || madeBy<SoftmaxWithBias>(v)) return true;
    if (const auto sum = madeByReduce(v, ReduceKind::Sum)) return exponentOf(sum->input(0)).has_value();
    switch (codeOf(v.graph(), v.id())) {
    case ScalarCode::Exp:
    case ScalarCode::Sigmoid: return true;
    case ScalarCode::Add: {
        if (onePlusExp(v) || oneMinusSigmoid(v)) return true;
        const NodeHandle sum = *v.owner();
        for (const VarHandle &term : sum.inputs())
            if (!exponentOf(term)) return false;
        return true;
    }
    case ScalarCode::Sub: return oneMinusSigmoid(v).has_value();
    case ScalarCode::Pow: {
        const VarHandle base = v.owner()->input(0);
        return depth < 4 && base.dtype() == v.dtype() && isLoggable(base, depth + 1);
    }
    case ScalarCode::Switch: {
        const NodeHandle choice = *v.owner();
        const auto isBranch = [&](VarHandle branch) {
            if (const auto value = constantValue(branch)) return *value > 0;
            return depth < 4 && branch.dtype() == v.dtype() && isLoggable(branch, depth + 1);
        };
        return isBranch(choice.input(1)) && isBranch(choice.input(2)) &&
               !(constantValue(choice.input(1)) && constantValue(choice.input(2)));
    }
    default: return false;
    }
}

} // namespace engine
