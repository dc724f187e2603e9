#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/session/session_data.h"
#endif
#include "views/graph/scene.h"

#include <QWidget>

#include <memory>
#include <vector>

class QPushButton;
class QToolButton;

namespace views {

class ElidedLabel;
class GraphPane;
class SelectionHub;

/// The function compiled without something, in a session of its own, and what both graphs have in common.
struct WithoutIt {
    std::shared_ptr<const SessionData> session;
    profiler::FunctionId function = profiler::kNoFunction;
    std::vector<std::pair<profiler::ApplyId, profiler::ApplyId>> pairs; ///< with it, without it
    QString problem;                                                    ///< a sentence: it could not be read
};
/// Reads the session of `croton replay -o` and pairs its function with one of `with`. Any thread.
std::shared_ptr<const WithoutIt> readWithout(const SessionData &with, profiler::FunctionId function, const QString &path);

/// Two graphs side by side: before and after a step of what was left out, or the function with it and without it.
class WorthGraphs : public QWidget {
    Q_OBJECT
public:
    explicit WorthGraphs(SelectionHub &hub, QWidget *parent = nullptr);

    void showNothing(const QString &sentence);
    /// `name`: what was left out; the steps that it made.
    void showSteps(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph, const QString &name,
                   std::vector<int> steps);
    void showBoth(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph, const QString &name,
                  std::shared_ptr<const WithoutIt> without);
    /// Whether the function can be compiled without it now; `why` says why not.
    void offerCompile(bool can, const QString &why);
    int step() const { return m_steps.empty() ? -1 : m_steps[m_at]; }
    bool showsBoth() const { return m_without != nullptr; }
    bool isSettled() const;
    void settle();
    GraphPane *pane(bool left) const { return left ? m_left : m_right; }
    QPushButton *compileButton() const { return m_compile; }
    QString sentence() const;

Q_SIGNALS:
    void compileWanted();
    void stepsWanted(); ///< back from both graphs
    void settledChanged();

private:
    void goTo(std::size_t at);
    void build();
    void choose(SceneKey key, bool left);

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    std::shared_ptr<const GraphData> m_graph;
    std::shared_ptr<const WithoutIt> m_without;
    QString m_name;
    std::vector<int> m_steps;
    std::size_t m_at = 0;
    quint64 m_asked = 0;
    bool m_busy = false;
    ElidedLabel *m_title;
    QToolButton *m_previous, *m_next;
    QPushButton *m_compile;
    GraphPane *m_left, *m_right;
};

} // namespace views
