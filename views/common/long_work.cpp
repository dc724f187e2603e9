#include "views/common/long_work.h"

#include "views/common/selection_hub.h"

namespace views {
LongWork::LongWork(SelectionHub &hub) : QObject(&hub) {}

LongWork &LongWork::of(SelectionHub &hub)
{
    if (auto *known = hub.findChild<LongWork *>(QString(), Qt::FindDirectChildrenOnly)) return *known;
    return *new LongWork(hub);
}

void LongWork::tell(const QString &sentence)
{
    m_sentence = sentence;
    Q_EMIT changed();
}

void LongWork::end(const QString &result)
{
    m_since.invalidate();
    m_sentence.clear();
    Q_EMIT ended(result);
}

bool LongWork::isLong() const { return m_since.isValid() && m_since.elapsed() >= kLongMs; }

} // namespace views
