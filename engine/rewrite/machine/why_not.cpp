#include "engine/rewrite/machine/why_not.h"

#include "engine/graph/ir/function_graph.h"
#include "engine/rewrite/machine/registry.h"

#include <algorithm>

namespace engine {

WhyNotBook::Note *WhyNotBook::notes(ApplyId apply, std::size_t rewrites, std::size_t applyCount)
{
    BigVector<std::uint32_t> &places = m_passes.back().places;
    if (raw(apply) >= places.size()) places.resize(std::max<std::size_t>(applyCount, raw(apply) + 1));
    std::uint32_t &place = places[raw(apply)];
    if (!place) {
        const auto count = static_cast<std::uint32_t>(rewrites);
        if (m_used % kBlock + count + 1 > kBlock) m_used = (m_used / kBlock + 1) * kBlock;
        if (m_used / kBlock >= m_blocks.size()) m_blocks.push_back(static_cast<Note *>(m_memory.take()));
        place = m_used;
        m_used += count + 1;
        Note *const head = at(place);
        *head = count;
        std::fill_n(head + 1, count, 0u);
    }
    return at(place) + 1;
}

void WhyNotBook::write(Note &note, ApplyId about, std::uint16_t answer, ApplyId because)
{
    std::uint32_t cause = kNoCause;
    if (because != kNoApply) {
        const std::uint32_t distance = raw(because) - raw(about) + kMiddle;
        cause = distance > kFarAway && distance < 2 * kMiddle ? distance : kFarAway;
        if (cause == kFarAway) m_farAway[&note] = because;
    }
    note = answer | cause * kAnswers;
}

std::uint16_t WhyNotBook::answer(std::size_t rewrite, std::string_view reason)
{
    if (m_answers.size() == kAnswers) return 0; // ten times as many as there are
    m_answers.push_back({static_cast<std::uint16_t>(rewrite), reason});
    return static_cast<std::uint16_t>(m_answers.size() - 1);
}

void WhyNotBook::close(const FunctionGraph &graph)
{
    m_applies = graph.liveApplies();
    for (ApplyId id : m_applies) {
        const auto body = graph.bodyOrigins.find(raw(id));
        if (body == graph.bodyOrigins.end()) continue;
        std::vector<ApplyId> &members = m_members[raw(id)];
        for (const std::vector<ApplyId> &origins : body->second) members.insert(members.end(), origins.begin(), origins.end());
    }
    std::sort(m_forms.begin(), m_forms.end());
    std::stable_sort(m_said.begin(), m_said.end(), [](const Said &a, const Said &b) { return a.about < b.about; });
}

std::vector<WhyNot> WhyNotBook::about(ApplyId apply) const
{
    const std::span<const RewriteInfo *const> all = allRewrites();
    std::vector<WhyNot> answers;
    if (!std::binary_search(m_applies.begin(), m_applies.end(), apply)) return answers;
    std::size_t first = 0;
    // What was said about `id`, as said about `about`.
    const auto collect = [&](ApplyId id, ApplyId about) {
        // A later pass replaces what an earlier one said.
        const auto take = [&](const WhyNot &answer) {
            const auto place = std::find_if(answers.begin() + static_cast<std::ptrdiff_t>(first), answers.end(),
                                            [&](const WhyNot &other) { return other.info == answer.info; });
            if (place != answers.end()) *place = answer;
            else answers.push_back(answer);
        };
        for (const Pass &pass : m_passes) {
            if (raw(id) >= pass.places.size() || !pass.places[raw(id)]) continue;
            const Note *const head = at(pass.places[raw(id)]);
            for (const Note *note = head + 1; note <= head + *head; ++note) {
                const Answer &said = m_answers[*note % kAnswers];
                if (said.reason.empty()) continue;
                const std::uint32_t cause = *note / kAnswers;
                const ApplyId because = cause == kNoCause   ? kNoApply
                                        : cause == kFarAway ? m_farAway.at(note)
                                                            : ApplyId{raw(id) + cause - kMiddle};
                take({apply, all[said.rewrite], pass.name, said.reason, because, about});
            }
        }
        const auto byApply = [](const Said &said, ApplyId of) { return said.about < of; };
        for (auto said = std::lower_bound(m_said.begin(), m_said.end(), id, byApply); said != m_said.end() && said->about == id; ++said) {
            const Answer &answer = m_answers[said->answer];
            if (!answer.reason.empty()) take({apply, all[answer.rewrite], all[answer.rewrite]->pass, answer.reason, said->because, about});
        }
    };
    // What was said before it worked in place counts as said about itself.
    std::vector<ApplyId> forms{apply};
    for (auto form = m_forms.begin(); form != m_forms.end();) {
        form = std::lower_bound(m_forms.begin(), m_forms.end(), std::pair(forms.back(), ApplyId{0}));
        if (form == m_forms.end() || form->first != forms.back()) break;
        forms.push_back(form->second);
    }
    for (std::size_t i = forms.size(); i-- > 0;) collect(forms[i], apply);
    // A kernel answers for the applies that went into it as well.
    if (const auto members = m_members.find(raw(apply)); members != m_members.end()) {
        std::vector<ApplyId> seen;
        for (ApplyId member : members->second) {
            if (std::find(seen.begin(), seen.end(), member) != seen.end()) continue;
            seen.push_back(member);
            first = answers.size();
            collect(member, member);
        }
    }
    return answers;
}

} // namespace engine
