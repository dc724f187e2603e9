#include "profiler/session/store/op_role.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace profiler {

namespace {

// Classes in files that older versions of Croton wrote, in lower case and without the prefix "gpu". Newer files store the role, so this
// list does not grow.
const std::vector<std::pair<OpRole, std::vector<std::string_view>>> kBeforeRoles{
    {OpRole::Transfer, {"hostfromgpu", "fromhost"}},
    {OpRole::Elementwise, {"elemwise"}},
    {OpRole::Product, {"dot", "dot22", "dot22scalar", "gemm", "cgemv", "gemv", "ger", "cger", "batcheddot"}},
    {OpRole::Reduction, {"sum", "prod", "max", "careduce", "any", "all", "argmax", "maxandargmax"}},
    {OpRole::Softmax,
     {"softmax", "logsoftmax", "softmaxwithbias", "softmaxgrad", "crossentropycategorical1hot", "crossentropycategorical1hotgrad",
      "crossentropysoftmaxargmax1hotwithbias", "crossentropysoftmax1hotwithbiasdx"}},
    {OpRole::Loop, {"scan"}},
    {OpRole::Choice, {"ifelse"}},
    {OpRole::Nested, {"opfromgraph"}},
    {OpRole::View,
     {"dimshuffle", "rebroadcast", "reshape", "deepcopyop", "specifyshape", "viewop", "cpucontiguous", "contiguous", "extractdiag"}},
    {OpRole::Shape, {"shape", "shape_i", "makevector", "tensorfromscalar", "scalarfromtensor"}},
    {OpRole::Creation, {"alloc", "allocempty", "arange", "eye", "tri"}},
    {OpRole::Index, {"subtensor", "advancedsubtensor", "advancedsubtensor1"}},
    {OpRole::Write, {"incsubtensor", "advancedincsubtensor", "advancedincsubtensor1", "addtodiag"}},
    {OpRole::Join, {"join", "split", "repeat"}},
    {OpRole::Cumulative, {"cumop"}},
    {OpRole::Sort, {"sortop", "argsortop", "topkop", "unique", "nonzero", "searchsortedop"}},
    {OpRole::Random, {"randomfunction", "mrg_uniform", "multinomialfromuniform", "choicefromuniform"}},
    {OpRole::Pooling, {"pool", "maxpoolgrad", "averagepoolgrad", "downsamplefactormaxgradgrad"}},
    {OpRole::Convolution,
     {"abstractconv2d", "abstractconv2d_gradweights", "abstractconv2d_gradinputs", "abstractconv3d", "abstractconv3d_gradweights",
      "abstractconv3d_gradinputs", "corrmm", "corrmm_gradweights", "corrmm_gradinputs", "corr3dmm", "corr3dmm_gradweights",
      "corr3dmm_gradinputs", "directconv2d", "directconv2d_gradinputs"}},
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
