#include "engine/rewrite/machine/rule_ops.h"

#include "engine/ops/index/index.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/repeat.h"
#include "engine/ops/shapes/reshape.h"

namespace engine {
namespace {

bool isIndex(const Op &op) { return opCast<Subtensor>(&op) || opCast<AdvancedSubtensor>(&op); }
bool hasAnyAxis(const Op &op) { return opCast<Repeat>(&op) || opCast<Rebroadcast>(&op); }

} // namespace

bool standsFor(const Op &found, const Op &written)
{
    const CAReduce *reduction = opCast<CAReduce>(&found), *wantedReduction = opCast<CAReduce>(&written);
    if (reduction && wantedReduction) return reduction->kind() == wantedReduction->kind();
    const IncSubtensor *write = opCast<IncSubtensor>(&found), *wantedWrite = opCast<IncSubtensor>(&written);
    if (write && wantedWrite) return write->isSet() == wantedWrite->isSet() && write->inplace() == wantedWrite->inplace();
    if (isIndex(found) || hasAnyAxis(found)) return found.dynamicType() == written.dynamicType();
    return sameOp(found, written);
}

std::size_t spokenInputs(const Op &op, std::size_t count)
{
    if (isIndex(op)) return 1;
    return opCast<IncSubtensor>(&op) ? 2 : count;
}

bool hasPlace(const Op &op) { return isIndex(op) || opCast<IncSubtensor>(&op) || opCast<CAReduce>(&op); }

OpRef placedAs(const OpRef &written, const OpRef &found)
{
    const CAReduce *reduction = opCast<CAReduce>(written), *foundReduction = opCast<CAReduce>(found);
    if (reduction && foundReduction)
        return makeOp<CAReduce>(reduction->kind(), foundReduction->axes(), foundReduction->dtype(), foundReduction->accDtype());
    const IncSubtensor *write = opCast<IncSubtensor>(written), *foundWrite = opCast<IncSubtensor>(found);
    if (write && foundWrite) return makeOp<IncSubtensor>(foundWrite->entries(), write->inplace(), write->isSet());
    return isIndex(*written) && written->dynamicType() == found->dynamicType() ? found : written;
}

} // namespace engine
