#include "app/studio/window/notices.h"

#include "views/common/long_work.h"

#include <utility>

namespace app {

using namespace views;

Notices::Notices(NoticeStrip &strip, SelectionHub &hub) : m_strip(strip), m_hub(hub)
{
    connect(&hub, &SelectionHub::noticed, this,
            [this](const QString &sentence, bool isWarning) { isWarning ? warning(sentence) : error(sentence); });
    connect(&LongWork::of(hub), &LongWork::changed, this, &Notices::showLongWork);
    connect(&LongWork::of(hub), &LongWork::ended, this, &Notices::endLongWork);
    connect(&strip, &NoticeStrip::dismissed, this, [this] { m_hidesWork = std::exchange(m_offer, Offer::None) == Offer::CallOffWork; });
    connect(&strip, &NoticeStrip::actionTriggered, this, [this] {
        if (const auto then = m_then) then(); // which may show another sentence
    });
}

void Notices::show(Kind kind, const QString &sentence, const QString &details, const QString &action, Offer offer,
                   std::function<void()> then)
{
    m_offer = offer;
    m_then = std::move(then);
    m_strip.show(kind, sentence, details, action);
}

void Notices::clear()
{
    m_offer = Offer::None;
    m_then = {};
    m_strip.clear();
}

void Notices::takeBack(Offer offer)
{
    if (m_offer == offer) clear();
}

void Notices::fail(const QString &sentence)
{
    m_lastError = sentence;
    Q_EMIT failed(sentence);
}

void Notices::error(const QString &sentence, const QString &details)
{
    m_lastError = sentence;
    show(Kind::Error, sentence, details);
    fail(sentence);
}

void Notices::warning(const QString &sentence, const QString &details) { show(Kind::Warning, sentence, details); }

void Notices::info(const QString &sentence) { show(Kind::Info, sentence); }

void Notices::offer(Offer offer, const QString &sentence, const QString &action, std::function<void()> then)
{
    show(Kind::Info, sentence, {}, action, offer, std::move(then));
}

void Notices::outcome(Kind kind, const QString &sentence, const QString &details, const SourceRef &line)
{
    if (line.isValid()) show(kind, sentence, details, tr("Show line"), Offer::ShowLine, [this, line] { m_hub.showSource(line); });
    else show(kind, sentence, details);
    if (kind == Kind::Error) fail(sentence);
}

void Notices::showLongWork()
{
    const LongWork &work = LongWork::of(m_hub);
    if (!work.isLong() || (!offers(Offer::CallOffWork) && (m_hidesWork || m_strip.isVisible()))) return;
    offer(Offer::CallOffWork, work.sentence(), tr("Cancel"), [this] { LongWork::of(m_hub).callOff(); });
}

void Notices::endLongWork(const QString &result)
{
    m_hidesWork = false;
    takeBack(Offer::CallOffWork);
    if (!result.isEmpty() && !m_strip.isVisible()) info(result);
}

} // namespace app
