#include "app/studio/graph_page.h"
#include "app/studio/graph_pane.h"
#include "app/studio/main_window.h"
#include "app/studio/run_bar.h"
#include "app/studio/settings_dialog.h"
#include "app/studio/shortcuts.h"
#include "views/common/controls.h"
#include "views/common/icons.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_export.h"
#include "views/steps/step_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>

namespace app {

using namespace views;

void MainWindow::buildMenus() {
    menuBar()->setNativeMenuBar(false);
    menuBar()->setFixedHeight(Theme::current().size(Size::MenuBar));
    m_titleText = new TextLabel(QString(), FontRole::Body, "muted", menuBar());
    m_titleText->setAlignment(Qt::AlignCenter);
    m_titleText->setAttribute(Qt::WA_TransparentForMouseEvents);

    auto add = [this](QMenu *menu, const char *id, auto action) {
        const Shortcut &shortcut = shortcutOf(id);
        QAction *made = menu->addAction(shortcut.title());
        made->setShortcuts(shortcut.sequences());
        made->setObjectName(QString::fromLatin1(id));
        connect(made, &QAction::triggered, this, action);
        return made;
    };
    QMenu *file = menuBar()->addMenu(tr("File"));
    add(file, "open", [this] {
        const QString path = QFileDialog::getOpenFileName(
            this, tr("Open a script, session or graph"), QFileInfo(m_file).absolutePath(),
            tr("Scripts, sessions and graphs (*.py *.croton *.json);;All files (*)"));
        if (!path.isEmpty())
            openFile(path);
    });
    m_recentMenu = file->addMenu(tr("Open recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    add(file, "welcome", [this] { showWelcome(); });
    file->addSeparator();
    add(file, "exportPicture", [this] { exportPicture(); });
    file->addSeparator();
    add(file, "quit", [this] { close(); });

    QMenu *edit = menuBar()->addMenu(tr("Edit"));
    add(edit, "back", [this] { m_hub.goBack(); });
    add(edit, "forward", [this] { m_hub.goForward(); });
    edit->addSeparator();
    add(edit, "find", [this] { findInGraph(); });
    add(edit, "copyLink", [this] { copyLink(); });
    add(edit, "openLink", [this] { openLink(); });
    edit->addSeparator();
    add(edit, "settings", [this] {
        SettingsDialog dialog(m_preferences, this);
        connect(&dialog, &SettingsDialog::changed, this, &MainWindow::applyPreferences);
        dialog.exec();
    });

    QMenu *view = menuBar()->addMenu(tr("View"));
    add(view, "viewGraph", [this] { setWorkspace(QStringLiteral("graph")); });
    add(view, "viewSteps", [this] { setWorkspace(QStringLiteral("steps")); });
    add(view, "viewProfile", [this] { setWorkspace(QStringLiteral("profile")); });
    view->addSeparator();
    add(view, "operations", [this] { openBottom(QStringLiteral("operations")); });
    add(view, "code", [this] { openBottom(QStringLiteral("code")); });
    view->addSeparator();
    for (QDockWidget *dock : {m_functionsDock, m_sourceDock, m_keyDock, m_inspectorDock})
        view->addAction(dock->toggleViewAction());
    m_keyDock->toggleViewAction()->setShortcut(QKeySequence(tr("Ctrl+K")));
    view->addSeparator();
    add(view, "resetLayout", [this] { resetLayout(); });

    QMenu *graph = menuBar()->addMenu(tr("Graph"));
    add(graph, "fit", [this] { m_graphPage->activePane()->canvas()->fit(); });
    add(graph, "layOut", [this] { m_graphPage->activePane()->canvas()->layOutAgain(); });
    graph->addSeparator();
    add(graph, "firstStep", [this] { m_hub.selectStep(0); });
    add(graph, "previousStep", [this] { m_graphPage->stepBar()->move(-1); });
    add(graph, "nextStep", [this] { m_graphPage->stepBar()->move(1); });
    add(graph, "previousPhase", [this] { m_graphPage->stepBar()->movePhase(false); });
    add(graph, "nextPhase", [this] { m_graphPage->stepBar()->movePhase(true); });
    add(graph, "lastStep", [this] { m_hub.selectStep(Selection::kLastStep); });

    QMenu *run = menuBar()->addMenu(tr("Run"));
    add(run, "run", [this] { runScript(); });
    add(run, "stop", [this] { m_worker.stop(); });
    run->addSeparator();
    add(run, "copyCommand", [this] { QApplication::clipboard()->setText(m_runBar->commandLine()); });

    QMenu *help = menuBar()->addMenu(tr("Help"));
    add(help, "shortcuts", [this] { showShortcuts(); });
    add(help, "about", [this] {
        QMessageBox::about(this, tr("About Croton Studio"),
                           tr("<b>Croton Studio %1</b><br>See what a compiler makes of your expressions.<br><br>"
                              "BSD 3-clause licence. Uses Qt under the LGPL.")
                               .arg(QApplication::applicationVersion()));
    });
}

void MainWindow::fillRecentMenu() {
    m_recentMenu->clear();
    for (const QString &path : m_preferences.recentFiles())
        m_recentMenu->addAction(path, this, [this, path] { openFile(path); });
    if (m_recentMenu->isEmpty())
        m_recentMenu->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::showShortcuts() {
    QString text = QStringLiteral("<table cellspacing='6'>");
    for (const Shortcut &shortcut : allShortcuts()) {
        QStringList keys;
        for (const QKeySequence &sequence : shortcut.sequences())
            keys << sequence.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            text += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                        .arg(keys.join(QStringLiteral(", ")).toHtmlEscaped(), shortcut.title().toHtmlEscaped());
    }
    QMessageBox box(this);
    box.setWindowTitle(tr("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(text + QStringLiteral("</table>"));
    box.exec();
}

void MainWindow::exportPicture() {
    if (!m_session)
        return;
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the graph picture"), QStringLiteral("graph.svg"),
                                                      tr("Pictures (*.svg *.png *.pdf);;Graphviz (*.dot)"));
    if (path.isEmpty())
        return;
    const QString error = exportGraph(*m_graphPage->activePane()->canvas(), formatOfPath(path), path, windowTitle());
    if (!error.isEmpty())
        showError(error);
}

void MainWindow::copyLink() {
    if (m_session)
        QApplication::clipboard()->setText(SelectionHub::toLink(m_hub.selection()));
}

void MainWindow::openLink() {
    bool ok = false;
    const QString text = QInputDialog::getText(this, tr("Open a link"), tr("Link to a view of this session:"),
                                               QLineEdit::Normal, QApplication::clipboard()->text(), &ok);
    if (!ok || text.isEmpty())
        return;
    if (const auto selection = SelectionHub::fromLink(text.trimmed()))
        m_hub.select(*selection);
    else
        showError(tr("This is no link to a view: it must begin with croton:view?"));
}

void MainWindow::findInGraph() {
    bool ok = false;
    const QString text = QInputDialog::getText(this, tr("Find"), tr("Name, op or type:"), QLineEdit::Normal, {}, &ok);
    if (!ok)
        return;
    GraphCanvas *canvas = m_graphPage->activePane()->canvas();
    if (canvas->setSearch(text) > 0)
        canvas->showNextMatch();
    else if (!text.isEmpty())
        showError(tr("No node of this graph matches “%1”.").arg(text), {}, true);
}

} // namespace app
