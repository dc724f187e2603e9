#pragma once

#include "views/common/panels.h"
#include "views/common/selection_hub.h"

#include <QObject>

#include <functional>

namespace app {

/// The strip on top of the window: one sentence at a time, and what can be done about it.
class Notices : public QObject {
    Q_OBJECT
public:
    using Kind = views::NoticeStrip::Kind;
    /// What the strip offers, for those who take it back.
    enum class Offer { None, ShowLine, BreakOffReading, CallOffWork, ShowFreshRun, DoNotRun };

    Notices(views::NoticeStrip &strip, views::SelectionHub &hub);

    void error(const QString &sentence, const QString &details = {});
    void warning(const QString &sentence, const QString &details = {});
    void info(const QString &sentence);
    /// With a button that calls `then`.
    void offer(Offer offer, const QString &sentence, const QString &action, std::function<void()> then);
    /// How a run ended; `line` is where it failed.
    void outcome(Kind kind, const QString &sentence, const QString &details, const views::SourceRef &line);
    void clear();
    /// Clears the strip while it offers this.
    void takeBack(Offer offer);
    bool offers(Offer offer) const { return m_offer == offer; }

    QString lastError() const { return m_lastError; }
    void forgetError() { m_lastError.clear(); }

Q_SIGNALS:
    void failed(const QString &sentence);

private:
    void show(Kind kind, const QString &sentence, const QString &details = {}, const QString &action = {}, Offer offer = Offer::None,
              std::function<void()> then = {});
    void fail(const QString &sentence);
    void showLongWork();
    void endLongWork(const QString &result);

    views::NoticeStrip &m_strip;
    views::SelectionHub &m_hub;
    Offer m_offer = Offer::None;
    std::function<void()> m_then;
    QString m_lastError;
    bool m_hidesWork = false; ///< the person closed the strip of what is under way
};

} // namespace app
