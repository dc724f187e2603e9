#pragma once

#include "views/graph/graph_canvas.h"
#include "views/common/selection_hub.h"

#include <QWidget>

class QHBoxLayout;
class QStackedLayout;
class QToolButton;

namespace views {
class EmptyState;
class GraphTable;
class PanelHeader;
class ProgressLine;
} // namespace views

namespace app {

/// One canvas under its header: title, what it shows, table switch, fit button; an empty state when there is no graph.
class GraphPane : public QWidget {
    Q_OBJECT
public:
    explicit GraphPane(const QString &title, QWidget *parent = nullptr);

    views::GraphCanvas *canvas() const { return m_canvas; }
    views::PanelHeader *header() const { return m_header; }
    void setTitles(const QString &title, const QString &subtitle);
    /// Puts a widget before the fit button.
    void addHeaderWidget(QWidget *widget);
    void showEmpty(const QString &icon, const QString &sentence, const QString &action = {});
    void showCanvas();
    bool showsCanvas() const;
    void setBusy(bool busy);

Q_SIGNALS:
    void emptyActionTriggered();

private:
    void arrange();
    views::PanelHeader *m_header;
    views::ProgressLine *m_progress;
    views::GraphCanvas *m_canvas;
    views::GraphTable *m_table;
    QToolButton *m_tableSwitch;
    views::EmptyState *m_empty;
    QHBoxLayout *m_tools;
};

} // namespace app
