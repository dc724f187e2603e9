#pragma once

#include "app/studio/run/run_outcome.h"
#include "views/common/theme.h"
#include "views/session/view_feed.h"

#include <QStatusBar>

class QLabel;

namespace views {
class TextLabel;
}

namespace app {

/// Whether what is shown is a recorded sample that runs, or ran, on this machine, too.
enum class FreshRun : std::uint8_t { None, Going, Shown, Offered, Failed };

/// What the studio is doing, and what the status bar says of it.
struct StatusFacts {
    bool reading = false;
    QString readingName;
    bool running = false;
    double elapsedSeconds = 0;
    bool welcome = true; ///< the first page is shown: nothing is said of the session behind it
    QString note;        ///< of the page
    RunOutcome outcome;  ///< of what is shown
    QString building;    ///< of Croton itself, while it goes on
    FreshRun fresh = FreshRun::None;
    QString freshProblem; ///< why it did not run
};

struct StatusTexts {
    QString icon; ///< empty: none
    views::Color ink = views::Color::Ok;
    QString sentence;
    QString machine;
    QString outside; ///< "Outside thunks 11.5%"
    QString nodes;   ///< "Applies 67 → 12", "Step 3 of 66"
    QString note;    ///< what the page says ("75%"), or the version
};

StatusTexts statusTexts(const views::ViewFeed &feed, const StatusFacts &facts);
/// "CGemv 59.6% Elemwise 30.1% other 10.3%" as rich text; empty without times.
QString sharesText(const views::ViewFeed &feed);
/// "logistic_regression.py · train — Croton Studio"
QString titleText(const views::ViewFeed &feed, const QString &file);

/// The status bar: at the left what goes on and where, at the right figures of what is shown.
class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusLine(QWidget *parent = nullptr);
    void setTexts(const StatusTexts &texts);
    /// For the moment: progress of a run.
    void showProgress(const QString &text);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();
    QLabel *m_icon;
    views::TextLabel *m_sentence;
    QLabel *m_machineIcon;
    views::TextLabel *m_machine;
    views::TextLabel *m_outside;
    views::TextLabel *m_nodes;
    views::TextLabel *m_note;
};

} // namespace app
