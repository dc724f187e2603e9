// Forward mode: directions travel from the inputs to the outputs.
#include "engine/gradient/gradient.h"
#include "engine/gradient/sums.h"
#include "engine/graph/op/op.h"
#include "engine/tensor/errors.h"

#include <unordered_map>

namespace engine {

std::vector<VarRef> forwardDerivatives(std::span<const VarRef> f, std::span<const VarRef> wrt, std::span<const VarRef> directions)
{
    if (wrt.size() != directions.size())
        throw TypeMismatch("[Rop] " + std::to_string(wrt.size()) + " variables but " + std::to_string(directions.size()) + " eval_points");
    std::unordered_map<const Variable *, VarRef> points;
    for (std::size_t i = 0; i < wrt.size(); ++i) {
        const Type variable = wrt[i]->type(), point = directions[i]->type();
        if (variable.isTensor() && point.isTensor() && variable.rank() != point.rank())
            throw ShapeMismatch("[Rop] the eval point of " + wrt[i]->displayName() + " is " + point.text() + ", the variable is " +
                                variable.text());
        points[wrt[i].get()] = directions[i];
    }
    std::vector<VarRef> arguments;
    for (Apply *apply : toposort(f, wrt)) {
        const ScopedTrace trace(apply->trace());
        arguments.clear();
        bool any = false;
        for (const VarRef &input : apply->inputs()) {
            auto found = points.find(input.get());
            VarRef point = found == points.end() ? VarRef() : found->second;
            if (point && input->type().isContinuous()) point = sums::cast(point, input->type().dtype());
            any |= static_cast<bool>(point);
            arguments.push_back(std::move(point));
        }
        if (!any) continue;
        const auto pattern = apply->op().connectionPattern(*apply);
        const std::vector<VarRef> results = apply->op().rop(*apply, arguments);
        for (int o = 0; o < apply->outputCount(); ++o) {
            bool isConnected = false;
            for (std::size_t i = 0; i < arguments.size(); ++i) isConnected |= arguments[i] && pattern[i][o];
            if (!isConnected) continue;
            const VarRef &result = results[o];
            const Type type = apply->output(o)->type();
            if (!result && type.isTensor() && isDiscrete(type.dtype())) continue; // steps have no direction
            if (!result || !result->type().isTensor())
                throw DisconnectedInput("[Rop] " + apply->op().name() + " has no forward derivative");
            if (!points.count(apply->output(o))) points[apply->output(o)] = result;
        }
    }
    std::vector<VarRef> result;
    for (const VarRef &output : f) {
        auto found = points.find(output.get());
        result.push_back(found == points.end() ? VarRef() : found->second);
    }
    return result;
}

std::vector<VarRef> rop(std::span<const VarRef> f, std::span<const VarRef> wrt, std::span<const VarRef> evalPoints, bool allowDisconnected)
{
    std::vector<VarRef> result = forwardDerivatives(f, wrt, evalPoints);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i]) continue;
        if (!allowDisconnected)
            throw DisconnectedInput("[Rop] " + f[i]->displayName() + " does not depend on the elements of the given variables");
        const DType dtype = f[i]->type().dtype();
        result[i] = sums::filled(f[i], isDiscrete(dtype) ? floatX() : dtype, 0);
    }
    return result;
}

} // namespace engine
