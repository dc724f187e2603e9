#include "profiler/session/store/op_role.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

namespace {

// Of Croton before it wrote roles: closed, as new ops bring theirs along. Small letters, without the "gpu" of forms on a device.
const std::vector<std::pair<OpRole, std::vector<std::string_view>>> kBeforeRoles{
    {OpRole::Transfer, {"hostfromgpu", "fromhost"}},
    {OpRole::Elementwise, {"elemwise"}},
    {OpRole::Product, {"dot", "dot22", "dot22scalar", "gemm", "cgemv", "gemv", "ger", "cger", "batcheddot"}},
    {OpRole::Reduction, {"sum", "prod", "max", "careduce", "any", "all", "argmax", "maxandargmax"}},
    {OpRole::Softmax, {"softmax", "logsoftmax", "softmaxwithbias", "softmaxgrad"}},
    {OpRole::Loop, {"scan"}},
    {OpRole::Choice, {"ifelse"}},
    {OpRole::View, {"dimshuffle", "rebroadcast", "reshape", "deepcopyop", "specifyshape", "viewop"}},
    {OpRole::Shape, {"shape", "shape_i", "makevector", "tensorfromscalar", "scalarfromtensor"}},
    {OpRole::Creation, {"alloc", "allocempty", "arange", "eye", "tri"}},
    {OpRole::Index, {"subtensor", "advancedsubtensor", "advancedsubtensor1"}},
    {OpRole::Write, {"incsubtensor", "advancedincsubtensor", "advancedincsubtensor1"}},
    {OpRole::Join, {"join", "split"}},
    {OpRole::Sort, {"sortop", "argsortop", "topkop"}},
    {OpRole::Random, {"randomfunction", "mrg_uniform"}},
    {OpRole::Pooling, {"pool", "maxpoolgrad", "averagepoolgrad"}},
};

} // namespace

OpRole roleOfClass(std::string_view opClass)
{
    std::string name(opClass.substr(opClass.rfind('.') + 1));
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (name.starts_with("gpu")) name.erase(0, 3);
    for (const auto &[role, classes] : kBeforeRoles)
        if (std::ranges::find(classes, name) != classes.end()) return role;
    return OpRole::Other;
}

} // namespace profiler
