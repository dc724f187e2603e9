#pragma once

#include "views/common/theme.h"
#include "views/session/view_feed.h"

#include <QScrollArea>

#include <vector>

class QLayout;
class QPushButton;

namespace views {

class TextLabel;

/// One part of the time: CPU ops, GPU ops, transfers.
struct SummaryPart {
    QString label;
    QChar letter;
    double seconds = 0;
    double share = 0;
    Color color = Color::Cpu;
    bool hatched = false;
};

struct AdviceCard {
    QString icon; ///< "warning", "bulb"
    Color ink = Color::Warn;
    QString title;
    QString text;
    QString gain;               ///< the most that it can save; empty: not known
    SourceRef place;            ///< the line to look at first
    std::int64_t apply = -1;    ///< what "Show evidence" selects; -1: none
    std::int64_t function = -1; ///< whose own graph it is in
    QString setting;            ///< the flag that follows it; empty: the script has to change
    QString missing;            ///< why it cannot be tried now
};

/// What the summary says, in numbers of profiler/stats and sentences of the window.
struct ProfileSummary {
    QString title; ///< function or session, and device
    double seconds = 0;
    std::int64_t calls = 0;
    std::vector<SummaryPart> parts;
    QString whole;   ///< "Whole calls 3.535 s · in fn 96.8 % · compile 0.473 s · 36 applies in 3 functions"
    QString quality; ///< how good these times are
    std::vector<AdviceCard> advice;
};

/// Left column of the Profile workspace.
class SummaryView : public QScrollArea {
    Q_OBJECT
public:
    explicit SummaryView(SelectionHub &hub, QWidget *parent = nullptr);
    void obey(const Request &request);
    void feed(const ViewFeed &feed);
    /// `whatIf` stands below the numbers, and belongs to the view then.
    void setSummary(const ProfileSummary &summary, QWidget *whatIf = nullptr);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void giveWay();
    QLayout *adviceOf(const ProfileSummary &summary); ///< null: there is none
    QLayout *cardOf(const AdviceCard &card);
    SelectionHub &m_hub;
    QWidget *m_page;
    std::vector<TextLabel *> m_partTimes;
    QWidget *m_total = nullptr;
    QWidget *m_beside = nullptr; ///< of the total: what it is of, where there is room
    QWidget *m_below = nullptr;  ///< else
    std::vector<QPushButton *> m_attempts;
    bool m_showsAllAdvice = false;
};

} // namespace views
