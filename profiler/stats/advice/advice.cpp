#include "profiler/stats/advice/advice.h"

#include "profiler/session/model/device_kind.h"
#include "profiler/stats/advice/advice_facts.h"
#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

namespace profiler {

namespace {

void name(Advice &advice, const AdviceFacts &facts, const AdviceFacts::Node &node)
{
    if (advice.nodes.empty()) advice.place = facts.lineOf(node);
    if (advice.nodes.size() < 5) advice.evidence += (advice.evidence.empty() ? "" : ", ") + facts.nameOf(node) + facts.placeOf(node);
    advice.nodes.push_back(AdviceFacts::keyOf(node));
    advice.gain += facts.shareOf(node);
}

// Does the op's name hold one of these functions as a whole word (Elemwise{Exp}, Composite{(i0 + scalar_sigmoid(i1))})?
bool isTranscendental(const std::string &op)
{
    static const std::set<std::string> kFunctions{"exp",    "exp2",    "expm1",   "log",     "log2",    "log10",   "log1p",  "pow",
                                                  "sin",    "cos",     "tan",     "sinh",    "cosh",    "tanh",    "arcsin", "arccos",
                                                  "arctan", "arcsinh", "arccosh", "arctanh", "sigmoid", "softplus"};
    std::string word;
    for (const char c : lowered(op) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c))) word += c;
        else if (kFunctions.contains(std::exchange(word, {}))) return true; // "scalar_sigmoid" are two words
    }
    return op.find("**") != std::string::npos;
}

// Two axes, whatever its type is called: "(?, 784)".
bool isMatrix(const VariableRow &variable)
{
    const std::string &shape = variable.shape.str();
    return !shape.empty() && shape.back() == ')' && std::count(shape.begin(), shape.end(), ',') == 1 &&
           shape.find(",)") == std::string::npos;
}

} // namespace

// In Theano's order, but for its first, which is in advice_dtypes.cpp. Its second and third tips name a vector math library that Croton
// brings along itself, so they speak only where the loops of an op are not compiled: there the C library's functions run.
std::vector<Advice> theanoTips(const ProfileData &data)
{
    const AdviceFacts facts(data);
    std::vector<Advice> all;
    Advice slowMath{"vector-math",
                    "A transcendental function runs in the host language: use the op of the same name, "
                    "whose loop uses vector math",
                    "",
                    {},
                    {},
                    0,
                    {}};
    Advice blas{"dot", "a Dot of two matrices did not become BLAS: give both inputs the same dtype, float32 or float64", "", {}, {}, 0, {}};
    Advice random{"random", "RandomFunction draws its numbers one by one: use MRG_RandomStreams", "", {}, {}, 0, {}};
    Advice mixed{"mixed-dot", "The inputs of a Dot have different dtypes: cast them to the same", "", {}, {}, 0, {}};
    Advice cudnn{"cudnn", "Pool or LogSoftmax run on the processor although a GPU is used: cuDNN has them", "", {}, {}, 0, {}};
    std::vector<std::string> devices;
    for (const DeviceKernel &kernel : data.devices.kernels) devices.push_back(kernel.device);
    const bool gpu = kindOfDevice(facts.flag("device"), devices) == DeviceKind::Cuda;
    for (const AdviceFacts::Node &node : facts.nodes()) {
        const std::string kind = AdviceFacts::className(node);
        if (node.row->implementation == "Py" && AdviceFacts::is(node, OpRole::Elementwise) && isTranscendental(node.row->op))
            name(slowMath, facts, node);
        if (kind == "Dot") {
            const bool differs = node.inputs.size() == 2 && node.inputs[0]->dtype != node.inputs[1]->dtype;
            const bool matrices = node.inputs.size() != 2 || (isMatrix(*node.inputs[0]) && isMatrix(*node.inputs[1]));
            if (differs) name(mixed, facts, node);
            else if (matrices) name(blas, facts, node);
        }
        if (kind == "RandomFunction") name(random, facts, node);
        if (gpu && (kind == "Pool" || kind == "LogSoftmax")) name(cudnn, facts, node);
    }
    for (Advice *one : {&slowMath, &blas, &random, &mixed, &cudnn})
        if (!one->nodes.empty()) {
            one->of = kOpTime;
            all.push_back(std::move(*one));
        }
    return all;
}

std::string gainText(const Advice &advice)
{
    if (advice.gain <= 0 || advice.of.empty()) return {};
    return format("at most %.*f%% of ", advice.gain < 0.0995 ? 1 : 0, 100 * std::min(advice.gain, 1.0)) + advice.of;
}

namespace {

// A product that is no BLAS because float64 came in before has its advice where that came in.
void dropConsequences(std::vector<Advice> &all)
{
    std::set<ApplyKey> doubles;
    for (const Advice &one : all)
        if (one.id == "float64") doubles.insert(one.nodes.begin(), one.nodes.end());
    std::erase_if(all, [&](const Advice &one) {
        const bool isOfProducts = one.id == "no-blas" || one.id == "dot" || one.id == "mixed-dot";
        return isOfProducts && std::ranges::all_of(one.nodes, [&](const ApplyKey &node) { return doubles.contains(node); });
    });
}

} // namespace

std::vector<Advice> advise(const ProfileData &data)
{
    double opNs = 0;
    for (const FunctionInfo &function : data.functions) opNs += static_cast<double>(function.run.thunkNs);
    std::vector<Advice> all;
    for (std::vector<Advice> part : {dtypeAdvice(data), theanoTips(data), graphAdvice(data), loopAdvice(data), hostAdvice(data),
                                     runAdvice(data), deviceAdvice(data), memoryAdvice(data), compileAdvice(data)})
        all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    dropConsequences(all);
    for (Advice &one : all) {
        if (one.savesNs <= 0 && one.of == kOpTime) one.savesNs = std::min(one.gain, 1.0) * opNs;
        if (one.lines.empty() && one.place.line > 0) one.lines = {one.place};
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Advice::savesNs);
    return all;
}

} // namespace profiler
