#include "views/graph/graph_pane.h"

#include "views/common/controls.h"
#include "views/common/panels.h"
#include "views/common/tips.h"
#include "views/common/tool_row.h"
#include "views/graph/find_bar.h"
#include "views/graph/graph_table.h"

#include <QLayout>
#include <QVBoxLayout>

namespace views {
namespace {

constexpr int kTable = 1; // how important the switch to the table is

}

GraphPane::GraphPane(const QString &title, QWidget *parent) : QWidget(parent)
{
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_header = new PanelHeader(title);
    m_tools = new ToolRow;
    m_header->addWidget(m_tools);
    m_fit = iconButton(QStringLiteral("fit"), tr("Fit the whole graph (Space)"));
    m_tableSwitch = iconButton(QStringLiteral("table"), tr("Show the nodes as a table"));
    m_tableSwitch->setCheckable(true);
    m_tools->insert(0, m_tableSwitch, kTable);
    m_header->addWidget(m_fit);
    outer->addWidget(m_header);
    outer->addWidget(new Hairline);
    m_canvas = new GraphCanvas;
    m_progress = new ProgressLine(m_canvas);
    m_find = new FindBar(*m_canvas);
    m_empty = new EmptyState;
    setSurface(m_empty, "canvas");
    m_table = new GraphTable;
    m_table->hide();
    outer->addWidget(m_find);
    outer->addWidget(m_canvas, 1);
    outer->addWidget(m_table, 1);
    outer->addWidget(m_empty, 1);
    m_empty->hide();
    connect(m_fit, &QToolButton::clicked, m_canvas, &GraphCanvas::fit);
    connect(m_tableSwitch, &QToolButton::toggled, this, [this] {
        m_table->setScene(m_canvas->scene());
        m_table->setSelected(m_canvas->selected());
        arrange();
    });
    connect(m_canvas, &GraphCanvas::sceneChanged, this, [this] {
        if (m_tableSwitch->isChecked()) m_table->setScene(m_canvas->scene());
    });
    connect(m_canvas, &GraphCanvas::selectedChanged, this, [this] { m_table->setSelected(m_canvas->selected()); });
    connect(m_table, &GraphTable::nodeClicked, m_canvas, &GraphCanvas::nodeClicked);
    connect(m_empty, &EmptyState::actionTriggered, this, &GraphPane::emptyActionTriggered);
    connect(m_canvas, &GraphCanvas::settled, this, [this] { setBusy(false); });
    connect(m_tools, &ToolRow::wanted, this, &GraphPane::fitTools);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &GraphPane::fitTools);
}

void GraphPane::setTitles(const QString &title, const QString &subtitle, const QString &tip)
{
    m_header->setToolTip(tipText(tip));
    m_header->setTitle(title);
    m_header->setSubtitle(subtitle);
    fitTools();
}

void GraphPane::addHeaderWidget(QWidget *widget, int importance) { m_tools->insert(m_tools->count() - 1, widget, importance); }

// The words come first: they say what the picture shows.
void GraphPane::fitTools()
{
    const QLayout &row = *m_header->layout();
    int taken = row.contentsMargins().left() + row.contentsMargins().right();
    for (int i = 0; i < row.count(); ++i)
        if (const QWidget *each = row.itemAt(i)->widget(); each && each != m_tools && !each->isHidden())
            taken += each->sizeHint().width() + row.spacing();
    m_tools->fit(width() - taken);
    m_tools->updateGeometry();
    m_header->layout()->activate();
}

void GraphPane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitTools();
}

void GraphPane::showEmpty(const QString &icon, const QString &sentence, const QString &action)
{
    m_empty->show(icon, sentence, action);
    arrange();
}

void GraphPane::showCanvas()
{
    m_empty->hide();
    arrange();
}

void GraphPane::arrange()
{
    const bool empty = !m_empty->isHidden();
    m_table->setVisible(!empty && m_tableSwitch->isChecked());
    m_canvas->setVisible(!empty && !m_tableSwitch->isChecked());
}

bool GraphPane::showsCanvas() const { return m_empty->isHidden(); }

void GraphPane::setBusy(bool busy)
{
    m_progress->setGeometry(0, 0, m_canvas->width(), 2);
    if (busy) m_progress->start();
    else m_progress->stop();
}

} // namespace views
