#include "engine/rewrite/machine/dispatch.h"

#include "engine/ops/elements/elementwise.h"

#include <algorithm>

namespace engine {

void Dispatch::add(std::size_t entry, const RewriteInfo &info)
{
    const auto number = static_cast<std::uint16_t>(entry);
    for (const std::type_index &type : info.tracks) m_byType[type].push_back(number);
    for (ScalarCode code : info.scalars) m_byScalar[static_cast<std::uint16_t>(code)].push_back(number);
    if (info.rule) {
        for (const std::type_index &type : info.rule->ops()) m_byType[type].push_back(number);
        for (ScalarCode code : info.rule->scalars()) m_byScalar[static_cast<std::uint16_t>(code)].push_back(number);
    }
    if (info.tracksAll) m_any.push_back(number);
}

Bucket Dispatch::joined(std::initializer_list<const Bucket *> buckets) const
{
    Bucket all = m_any;
    for (const Bucket *bucket : buckets)
        if (bucket) all.insert(all.end(), bucket->begin(), bucket->end());
    std::sort(all.begin(), all.end());
    return all;
}

const Bucket &Dispatch::find(const Op &op) const
{
    const auto bucketIn = [](const auto &map, const auto &key) {
        auto found = map.find(key);
        return found == map.end() ? nullptr : &found->second;
    };
    if (const Elemwise *elemwise = opCast<Elemwise>(&op)) {
        const auto code = static_cast<std::uint16_t>(elemwise->scalar()->code());
        if (code >= m_knownScalars.size()) m_knownScalars.resize(code + 1u);
        std::unique_ptr<Bucket> &known = m_knownScalars[code];
        if (!known)
            known = std::make_unique<Bucket>(joined({bucketIn(m_byScalar, code), bucketIn(m_byType, std::type_index(typeid(Elemwise)))}));
        return *known;
    }
    Known &known = m_recent[op.classKey() % m_recent.size()];
    if (known.classKey == op.classKey() && known.type && *known.type == op.dynamicType()) return *known.bucket;
    const std::type_index type = op.dynamicType();
    auto cached = m_knownTypes.find(type);
    if (cached == m_knownTypes.end()) cached = m_knownTypes.emplace(type, joined({bucketIn(m_byType, type)})).first;
    known = {op.classKey(), &op.dynamicType(), &cached->second};
    return cached->second;
}

} // namespace engine
