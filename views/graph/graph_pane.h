#pragma once

#include "views/graph/graph_canvas.h"

#include <QWidget>

class QHBoxLayout;
class QToolButton;

namespace views {

class EmptyState;
class FindBar;
class GraphTable;
class PanelHeader;
class ProgressLine;

/// One canvas under its header: title, what it shows, table switch, fit button; an empty state when there is no graph.
class GraphPane : public QWidget {
    Q_OBJECT
public:
    explicit GraphPane(const QString &title, QWidget *parent = nullptr);

    GraphCanvas *canvas() const { return m_canvas; }
    PanelHeader *header() const { return m_header; }
    void setTitles(const QString &title, const QString &subtitle);
    /// Puts a widget before the fit button.
    void addHeaderWidget(QWidget *widget);
    void showEmpty(const QString &icon, const QString &sentence, const QString &action = {});
    void showCanvas();
    bool showsCanvas() const;
    void setBusy(bool busy);
    FindBar *findBar() const { return m_find; }

Q_SIGNALS:
    void emptyActionTriggered();

private:
    void arrange();
    PanelHeader *m_header;
    ProgressLine *m_progress;
    GraphCanvas *m_canvas;
    FindBar *m_find;
    GraphTable *m_table;
    QToolButton *m_tableSwitch;
    EmptyState *m_empty;
    QHBoxLayout *m_tools;
};

} // namespace views
