#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif
#include "views/graph/scene.h"

#include <QHash>
#include <QWidget>

namespace views {

class GraphPane;

/// The optimized graph of a function of one side, marked: what only this side has, and what became slower or faster.
Scene comparedScene(const CompareRows &rows, const std::string &function, bool ofA);

/// The optimized graphs of A and B side by side; a node that is clicked is shown with its partner.
class GraphDiff : public QWidget {
    Q_OBJECT
public:
    explicit GraphDiff(QWidget *parent = nullptr);
    /// Made in another thread; what was shown stays until then.
    void setRows(const std::shared_ptr<const CompareRows> &rows, const std::string &function);
    bool isSettled() const;
    GraphPane *pane(bool ofA) const { return ofA ? m_a : m_b; }

Q_SIGNALS:
    /// A person chose a pair: a row among the applies of the comparison.
    void rowChosen(qint64 key);

private:
    void choose(SceneKey key, bool ofA);

    std::shared_ptr<const CompareRows> m_rows;
    std::string m_function;
    GraphPane *m_a;
    GraphPane *m_b;
    quint64 m_asked = 0;
    bool m_busy = false;
};

} // namespace views
