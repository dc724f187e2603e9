#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/view_feed.h"
#include "views/worth/worth_rows.h"
#endif

#include <QTimer>
#include <QWidget>

#include <map>
#include <memory>

class QPushButton;
class QSplitter;

namespace views {

class ChoiceTabs;
class LabeledCombo;
class MeasureStrip;
class PicturePanel;
class WorthCanvas;
class WorthGraphs;
struct WithoutIt;

/// What each rewrite, pass or tag is worth, and the graphs with and without it.
class WorthView : public QWidget {
    Q_OBJECT
public:
    explicit WorthView(SelectionHub &hub, QWidget *parent = nullptr);
    void obey(const Request &request);
    void feed(const ViewFeed &feed);

    WorthCanvas *canvas() const { return m_canvas; }
    PicturePanel *panel() const { return m_panel; }
    WorthGraphs *graphs() const { return m_graphs; }
    ChoiceTabs *by() const { return m_by; }
    LabeledCombo *measure() const { return m_measure; }
    QPushButton *pairsButton() const { return m_pairs; }
    MeasureStrip *strip() const { return m_strip; }
    const WorthRows *rows() const { return m_rows.get(); }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    void fitBar();
    void choose(int line, bool onlySteps = false);
    void follow();
    void ask(bool pairs);
    void compileWithout();
    void noteSettled();
    QString functionWord() const;

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    std::shared_ptr<const GraphData> m_graph;
    const profiler::FunctionInfo *m_function = nullptr;
    bool m_canRun = false;
    std::shared_ptr<const WorthRows> m_rows;
    QString m_chosenName;
    std::map<QString, std::shared_ptr<const WithoutIt>> m_without; ///< of this function, by what was left out
    WorthCanvas *m_canvas;
    PicturePanel *m_panel;
    WorthGraphs *m_graphs;
    ChoiceTabs *m_by;
    LabeledCombo *m_measure;
    QPushButton *m_pairs;
    MeasureStrip *m_strip;
    QWidget *m_bar;
    QSplitter *m_parts;
    QTimer m_settle;
    bool m_isPlaced = false;
};

} // namespace views
