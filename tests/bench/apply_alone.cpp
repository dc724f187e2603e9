#include "tests/bench/apply_alone.h"

#include "engine/codegen/kernel_service.h"

#include <algorithm>
#include <stdexcept>

namespace engine {

ApplyAlone::ApplyAlone(std::shared_ptr<Function> function, std::vector<Tensor> inputs)
    : m_function(std::move(function)), m_arrays(std::move(inputs))
{
    const FunctionGraph &graph = m_function->graph();
    if (m_function->order().size() != 1)
        throw std::runtime_error("the function is " + std::to_string(m_function->order().size()) + " applies, not one");
    std::vector<View> given;
    for (const Tensor &array : m_arrays) given.push_back(array.view());
    std::vector<Tensor> outputs;
    m_function->callViews(given, outputs);

    const ApplyId id = m_function->order()[0];
    const ApplyNode &node = graph.apply(id);
    std::vector<View> views;
    std::vector<const void *> constants;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const VarId input = graph.inputOf(id, i);
        const VarNode &variable = graph.var(input);
        const bool constant = variable.kind == Variable::Kind::Constant;
        const auto place = std::find(graph.inputs().begin(), graph.inputs().end(), input) - graph.inputs().begin();
        views.push_back(constant ? variable.leaf->value().tensor().view() : given.at(static_cast<std::size_t>(place)));
        constants.push_back(constant ? views.back().data : nullptr);
    }
    std::vector<SlotOperand> operands = operandsOf(views, 0);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        operands[i].constantData = constants[i];
        operands[i].type = graph.var(graph.inputOf(id, i)).type;
    }
    std::vector<View> results;
    for (const Tensor &output : outputs) results.push_back(output.view());
    const std::vector<SlotOperand> targets = operandsOf(results, static_cast<int>(views.size()));
    for (const View &view : views) m_slots.push_back(view.data);
    for (const View &view : results) m_slots.push_back(view.data);
    std::move(outputs.begin(), outputs.end(), std::back_inserter(m_arrays));

    m_thunk = node.op->prepare(ThunkSpec{operands, targets});
    if (!m_thunk) throw std::runtime_error(node.op->name() + " has no thunk");
    if (auto text = m_thunk->kernelText()) {
        m_kernel = internKernel(std::move(*text));
        requestKernels({m_kernel});
        waitForKernels();
        if (m_kernel->state != KernelState::Ready) throw std::runtime_error("the kernel of " + node.op->name() + " did not compile");
        m_thunk->adopt(m_kernel->function, m_kernel->text.math.data());
    }
}

} // namespace engine
