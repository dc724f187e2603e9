#include "views/history/history_job.h"

#include "views/common/background.h"
#include "views/history/history_rows.h"

#include <algorithm>

namespace views {
namespace {

constexpr std::size_t kMost = 200; // of the youngest: more points than a small picture can show

struct Answer {
    std::shared_ptr<const HistoryRows> rows;
    QString problem;
};

Answer readHistory(const std::string &open, const QStringList &candidates, const std::atomic<bool> &isEnded)
{
    std::vector<profiler::SessionGlance> glances;
    for (const QString &path : candidates) {
        if (isEnded) return {};
        glances.push_back(profiler::glanceAt(path.toStdString()));
    }
    const auto groups = profiler::groupByScript(glances);
    const auto group = std::ranges::find_if(
        groups, [&](const auto &one) { return std::ranges::any_of(one, [&](std::size_t index) { return glances[index].path == open; }); });
    if (group == groups.end()) return {nullptr, HistoryJob::tr("This session cannot be read any more.")};
    std::vector<std::string> paths;
    for (std::size_t i = group->size() > kMost ? group->size() - kMost : 0; i < group->size(); ++i)
        paths.push_back(glances[(*group)[i]].path);
    profiler::History history = profiler::makeHistory(paths, [&](std::size_t) { return !isEnded; });
    for (const profiler::SessionGlance &glance : glances)
        if (!glance.problem.empty()) history.leftOut.push_back({glance.path, glance.problem});
    return {std::make_shared<const HistoryRows>(std::move(history), open, group->size() - paths.size()), {}};
}

} // namespace

void HistoryJob::start(const QString &open, const QStringList &candidates)
{
    cancel();
    m_wanted = std::make_shared<Wanted>();
    inBackground(
        this, [wanted = m_wanted, open = open.toStdString(), candidates] { return readHistory(open, candidates, wanted->isEnded); },
        [this, wanted = m_wanted](const Answer &answer) {
            if (wanted->isEnded.exchange(true)) return;
            if (answer.rows) Q_EMIT found(answer.rows);
            else Q_EMIT failed(answer.problem);
        });
}

void HistoryJob::cancel()
{
    if (m_wanted) m_wanted->isEnded = true;
}

} // namespace views
