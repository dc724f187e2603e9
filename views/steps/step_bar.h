// The bar under the canvases: go to any step of the compiler.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/model/model_rewrite.h"
#include "views/session/view_feed.h"
#endif
#include "views/common/selection_hub.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <vector>

class QToolButton;

namespace views {

class AlongStrip;
class LabeledCombo;
class MeasureStrip;
class StepTrack;
class TextLabel;

class StepBar : public QWidget {
    Q_OBJECT
public:
    explicit StepBar(SelectionHub &hub, QWidget *parent = nullptr);

    // steps[0] is the import and has no tick. Shows the hub's step and follows it.
    void setSteps(const std::vector<profiler::StepInfo> &steps);
    // What a call of the graph after its steps takes, where somebody measured it.
    void feed(const ViewFeed &feed);
    [[nodiscard]] AlongStrip *along() const { return m_along; }
    [[nodiscard]] QToolButton *alongButton() const { return m_alongButton; }
    // 56 px, without phase names: for small windows.
    void setLow(bool low);
    [[nodiscard]] StepTrack *track() const { return m_track; }
    // Moves by changes, or by phases; what the shortcuts of the window call.
    void move(int changes);
    void movePhase(bool forward);
    /// A key of the track that was pressed elsewhere.
    void takeKey(int key);
    // One change after the other to the end, as often a second as the person chose; the next waits until the last is shown.
    void play(bool on);
    [[nodiscard]] bool isPlaying() const;
    // The picture of the step stands there.
    void stepShown();

    [[nodiscard]] QSize sizeHint() const override;
    // Without what goes where there is little room.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void goTo(int step);
    void follow();
    void refresh();
    void fitTexts();
    [[nodiscard]] int widthOf(const QWidget &part) const;
    [[nodiscard]] std::vector<QWidget *> optionalParts() const; // only where there is room
    void followAlong(const ViewFeed &feed);
    void refreshAlong();
    void showAlongTable();

    SelectionHub &m_hub;
    QWidget *m_texts;
    QToolButton *m_first, *m_previous, *m_next, *m_last;
    TextLabel *m_number, *m_total, *m_detail;
    StepTrack *m_track;
    QToolButton *m_play;
    LabeledCombo *m_speed;
    AlongStrip *m_along;
    MeasureStrip *m_measuring;
    QToolButton *m_alongButton, *m_alongTable;
    QString m_function, m_whyNot;
    quint64 m_asked = 0;
    bool m_showsAlong = true;
    QTimer m_beat;
    QElapsedTimer m_sinceBeat;
    bool m_hasGraph = false; ///< else there is no step to tell of
    bool m_low = false;
};

} // namespace views
