#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/compare/range_pairs.h"
#include "views/compare/compare_rows.h"
#endif
#include "views/common/selection_hub.h"

#include <QWidget>

#include <memory>
#include <string>

namespace views {

class ElidedLabel;
class LabeledCombo;
class PicturePanel;
class TimelineCanvas;
struct TimelineRows;

/// The timelines of A and B over one another at one scale: what moves in one moves in the other, a range is summed up in both.
class TimelineDiff : public QWidget {
    Q_OBJECT
public:
    explicit TimelineDiff(QWidget *parent = nullptr);
    /// Made in another thread; what was shown stays until then.
    void setRows(const std::shared_ptr<const CompareRows> &rows, const std::string &function);
    bool isSettled() const { return !m_busy; }
    /// By the first call of the function, or by the start of the sessions.
    void align(bool atFirstCall);
    TimelineCanvas *canvas(bool ofA) const { return side(ofA).canvas; }
    PicturePanel *panel() const { return m_panel; }
    QString sumText(bool ofA) const;

Q_SIGNALS:
    /// A person chose a pair: a row among the applies of the comparison.
    void rowChosen(qint64 key);
    void settled();

private:
    struct Half {
        TimelineCanvas *canvas = nullptr;
        ElidedLabel *sum = nullptr;
        std::shared_ptr<const TimelineRows> rows;
        std::int64_t originNs = 0; ///< what stands under the same place in both
    };
    const Half &side(bool ofA) const { return ofA ? m_a : m_b; }
    Half &side(bool ofA) { return ofA ? m_a : m_b; }
    QWidget *buildSide(bool ofA);
    void show(std::shared_ptr<const TimelineRows> a, std::shared_ptr<const TimelineRows> b);
    void alignNow();
    void follow(bool ofA);
    void chooseRange(const TimeRange &range, bool ofA);
    void sumUp();
    void chooseZone(std::size_t track, std::size_t zone, bool ofA);
    void choosePair(qint64 row);

    std::shared_ptr<const CompareRows> m_rows;
    std::string m_function;
    Half m_a, m_b;
    TimeRange m_range; ///< counted from the origins; invalid: all
    std::vector<profiler::RangePair> m_pairs;
    LabeledCombo *m_alignment;
    PicturePanel *m_panel;
    QWidget *m_clear;
    quint64 m_asked = 0;
    bool m_busy = false;
    bool m_following = false;
};

} // namespace views
