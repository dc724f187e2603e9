#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/memory/choices_rows.h"
#include "views/session/view_feed.h"
#endif

#include <QWidget>

#include <memory>
#include <optional>

class QPushButton;

namespace views {

class ChoicesCanvas;
class ElidedLabel;
class EmptyState;
class MeasureStrip;
class ProgressLine;

/// What the memory of a function could be: bars, a budget to drag, what keeping it takes, and a run that verifies it. Everything is worked
/// out in other threads; of budgets that come meanwhile the last one counts.
class ChoicesPage : public QWidget {
    Q_OBJECT
public:
    explicit ChoicesPage(SelectionHub &hub, QWidget *parent = nullptr);

    /// Null: there is nothing to show.
    void setFunction(std::shared_ptr<const SessionData> session, const profiler::FunctionInfo *function);
    void setCanRun(bool can);
    /// As if the line were dragged there, as soon as there is one.
    void wantBudget(qint64 bytes);
    const ChoicesRows *rows() const { return m_rows.get(); }
    const profiler::MemoryAlternative *plan() const { return m_plan ? &*m_plan : nullptr; }
    ChoicesCanvas *canvas() const { return m_canvas; }
    QPushButton *verifyButton() const { return m_verify; }
    QPushButton *copyButton() const { return m_copy; }
    bool isBusy() const { return m_reads || m_plans; }
    QString sentence() const;
    /// Why there is nothing to see; empty where there is.
    QString whyNone() const;
    /// Of what is shown now.
    TextTable table() const;

Q_SIGNALS:
    void busyChanged(bool busy);
    /// Other rows, or another plan: the table changed.
    void changed();

private:
    void planFor(qint64 budget);
    void refresh();

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    profiler::FunctionId m_function = profiler::kNoFunction;
    std::shared_ptr<const ChoicesRows> m_rows;
    std::optional<profiler::MemoryAlternative> m_plan;
    std::int64_t m_planBudget = -1;
    std::optional<qint64> m_next; ///< a budget that came meanwhile
    quint64 m_asked = 0;
    bool m_reads = false, m_plans = false, m_canRun = false;
    EmptyState *m_empty;
    MeasureStrip *m_strip;
    ProgressLine *m_progress;
    ChoicesCanvas *m_canvas;
    ElidedLabel *m_sentence;
    QPushButton *m_verify, *m_copy;
};

} // namespace views
