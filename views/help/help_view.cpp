#include "views/help/help_view.h"

#include "views/common/controls.h"
#include "views/common/flow_text.h"
#include "views/common/panels.h"
#include "views/common/theme.h"
#include "views/common/tips.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QShowEvent>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

namespace views {
namespace {

constexpr std::size_t kMostFound = 100;

} // namespace

HelpView::HelpView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub), m_pages({})
{
    const Theme &theme = Theme::current();
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(theme.px(8), theme.px(8), theme.px(8), 0);
    rows->setSpacing(theme.px(6));
    auto *head = new QHBoxLayout;
    m_back = iconButton(QStringLiteral("back"), tr("Back to the page before"), this);
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search in the help"));
    m_search->setAccessibleName(tr("Search in the help"));
    m_search->setClearButtonEnabled(true);
    head->addWidget(m_back);
    head->addWidget(m_search, 1);
    rows->addLayout(head);
    m_found = new QListWidget;
    m_found->setAccessibleName(tr("Search in the help"));
    m_found->setFrameShape(QFrame::NoFrame);
    m_found->hide();
    m_text = new QTextBrowser;
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    m_text->setAccessibleName(tr("Help"));
    m_none = new EmptyState;
    rows->addWidget(m_found, 1);
    rows->addWidget(m_text, 1);
    rows->addWidget(m_none, 1);
    connect(m_search, &QLineEdit::textChanged, this, &HelpView::showFound);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_found->count() > 0) Q_EMIT m_found->itemActivated(m_found->item(0));
    });
    const auto choose = [this](const QListWidgetItem *item) {
        showPlace({item->data(Qt::UserRole).toString(), item->data(Qt::UserRole + 1).toString(), item->text()});
    };
    connect(m_found, &QListWidget::itemActivated, this, choose);
    connect(m_found, &QListWidget::itemClicked, this, choose);
    connect(m_back, &QToolButton::clicked, this, [this] {
        m_places.removeLast();
        render();
    });
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        const HelpPlace to = m_pages.placeOfLink(place().page, link.toString());
        if (m_pages.has(to)) showPlace(to);
    });
    render();
}

void HelpView::obey(const Request &request)
{
    const auto *wanted = std::get_if<ShowHelp>(&request);
    if (!wanted) return;
    if (const HelpPlace to{wanted->page.section('#', 0, 0), wanted->page.section('#', 1), {}}; m_pages.has(to)) showPlace(to);
}

void HelpView::setPages(const HelpPages &pages)
{
    m_pages = pages;
    m_isRead = true;
    m_places.clear();
    m_text->setSearchPaths({m_pages.folder()});
    if (!m_pages.isEmpty()) m_places << HelpPlace{QStringLiteral("index"), {}, {}};
    render();
}

void HelpView::feed(const ViewFeed &feed)
{
    m_feed = feed;
    if (isVisible()) showContext();
}

void HelpView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_isRead) setPages(HelpPages(docsFolder()));
    showContext();
}

void HelpView::showContext()
{
    if (m_pages.isEmpty()) return;
    const Selection &selection = m_hub.selection();
    const bool isAsked = !selection.place.isEmpty() && selection.place != QLatin1String("help");
    HelpPlace context = m_pages.placeOf(isAsked ? selection.place : selection.workspace);
    if (selection.workspace == QLatin1String("steps") && selection.step > 0 && m_feed.graph) {
        const auto &steps = m_feed.graph->steps;
        if (static_cast<std::size_t>(selection.step) < steps.size()) {
            const HelpPlace rewrite =
                m_pages.placeOfRewrite(QString::fromStdString(steps[static_cast<std::size_t>(selection.step)].rewrite));
            if (m_pages.has(rewrite)) context = rewrite;
        }
    }
    if (context == m_context || !m_pages.has(context)) return;
    m_context = context;
    showPlace(context);
}

void HelpView::showPlace(const HelpPlace &place)
{
    if (m_places.isEmpty() || m_places.last() != place) m_places << place;
    m_search->clear();
    render();
}

void HelpView::showFound()
{
    m_found->clear();
    const std::vector<HelpPlace> found = m_pages.search(m_search->text());
    for (std::size_t i = 0; i < std::min(found.size(), kMostFound); ++i) {
        auto *item = new QListWidgetItem(found[i].title, m_found);
        item->setData(Qt::UserRole, found[i].page);
        item->setData(Qt::UserRole + 1, found[i].anchor);
        item->setToolTip(tipText(found[i].page));
    }
    render();
}

void HelpView::render()
{
    const bool isSearch = !m_search->text().trimmed().isEmpty();
    const bool isNone = m_pages.isEmpty() || (isSearch && m_found->count() == 0);
    m_back->setEnabled(m_places.size() > 1);
    m_search->setEnabled(!m_pages.isEmpty());
    m_none->setVisible(isNone);
    m_found->setVisible(isSearch && !isNone);
    m_text->setVisible(!isSearch && !isNone);
    if (m_pages.isEmpty()) m_none->EmptyState::show(QStringLiteral("help"), tr("The documentation is not beside this program."));
    else if (isNone) m_none->EmptyState::show(QStringLiteral("search"), tr("No heading has these words."));
    if (isSearch || isNone) return;
    m_text->document()->setDefaultFont(Theme::current().font(FontRole::Body));
    m_text->setMarkdown(m_pages.markdown(place()));
    dressMarkdown(*m_text->document(), Theme::current().px(8));
}

} // namespace views
