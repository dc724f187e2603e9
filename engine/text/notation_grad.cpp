// grad() of the notation.
#include "engine/gradient/gradient.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

NOTATION("grad(cost, wrt) or grad(cost, [a, b])", [](NotationCall &call) -> NotationValue {
    const VarRef cost = call.variable("cost");
    std::vector<VarRef> wrt;
    const std::vector<NotationValue> given = call.all();
    const bool isList = given.size() == 1 && given[0].kind == NotationValue::Kind::List;
    for (const NotationValue &item : isList ? given[0].items : given) {
        if (item.kind != NotationValue::Kind::Variable)
            call.failAt(item, "gradients are taken with respect to variables, not " + item.describe());
        wrt.push_back(item.variable);
    }
    if (wrt.empty()) call.fail("grad needs the variables that it is taken with respect to");
    GradOptions options;
    options.floatX = call.floatX();
    std::vector<NotationValue> result;
    try {
        for (VarRef &one : grad(cost, wrt, options)) result.push_back(NotationValue(std::move(one)));
    } catch (const UserError &) {
        throw;
    } catch (const std::runtime_error &error) { // disconnected, undefined
        call.fail(error.what());
    }
    return isList ? NotationValue::ofList(std::move(result)) : std::move(result[0]);
});

} // namespace
} // namespace engine
