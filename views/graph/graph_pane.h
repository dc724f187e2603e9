#pragma once

#include "views/graph/graph_canvas.h"

#include <QWidget>

class QToolButton;

namespace views {

class EmptyState;
class FindBar;
class GraphTable;
class PanelHeader;
class ProgressLine;
class ToolRow;

/// One canvas under its header: title, what it shows, table switch, fit button; an empty state when there is no graph.
class GraphPane : public QWidget {
    Q_OBJECT
public:
    explicit GraphPane(const QString &title, QWidget *parent = nullptr);

    GraphCanvas *canvas() const { return m_canvas; }
    PanelHeader *header() const { return m_header; }
    void setTitles(const QString &title, const QString &subtitle, const QString &tip = {});
    /// Puts a tool before the fit button, or into a menu where that has no room: the least important first.
    void addHeaderWidget(QWidget *widget, int importance = 0);
    void showEmpty(const QString &icon, const QString &sentence, const QString &action = {});
    void showCanvas();
    bool showsCanvas() const;
    void setBusy(bool busy);
    FindBar *findBar() const { return m_find; }

Q_SIGNALS:
    void emptyActionTriggered();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();
    void fitTools();
    PanelHeader *m_header;
    ProgressLine *m_progress;
    GraphCanvas *m_canvas;
    FindBar *m_find;
    GraphTable *m_table;
    QToolButton *m_tableSwitch;
    EmptyState *m_empty;
    QToolButton *m_fit;
    ToolRow *m_tools;
};

} // namespace views
