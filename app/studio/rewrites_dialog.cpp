#include "app/studio/rewrites_dialog.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/steps/step_bar_layout.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <map>

namespace app {

using namespace views;

namespace {

constexpr int kNameRole = Qt::UserRole + 1; // what optimizer_excluding is given
constexpr int kTextRole = Qt::UserRole + 2; // what the search looks in

void forEach(QTreeWidgetItem *item, const std::function<void(QTreeWidgetItem *)> &visit)
{
    for (int i = 0; i < item->childCount(); ++i) {
        visit(item->child(i));
        forEach(item->child(i), visit);
    }
}

} // namespace

RewritesDialog::RewritesDialog(const std::vector<RewriteChoice> &rewrites, const QStringList &excluded, QWidget *parent)
    : QDialog(parent), m_excluded(excluded)
{
    setWindowTitle(tr("Rewrites of the next run"));
    const Theme &theme = Theme::current();
    resize(theme.px(620), theme.px(560));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.px(16), theme.px(16), theme.px(16), theme.px(16));
    layout->setSpacing(theme.px(10));
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search names, tags and reasons"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_tree = new QTreeWidget;
    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("Rewrite"), tr("Tags, and what it is for")});
    m_tree->header()->resizeSection(0, theme.px(290));
    m_tree->setAccessibleName(tr("Rewrites by phase, and tags"));
    m_tree->setUniformRowHeights(true);
    m_count = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_count->setWordWrap(true);
    auto *all = new QPushButton(tr("Switch all on"));
    auto *close = new QPushButton(tr("Close"));
    makePrimary(close);
    auto *foot = new QHBoxLayout;
    foot->setSpacing(theme.px(8));
    foot->addWidget(m_count, 1);
    foot->addWidget(all);
    foot->addWidget(close);
    layout->addWidget(m_search);
    layout->addWidget(m_tree, 1);
    layout->addLayout(foot);
    fill(rewrites);
    connect(m_search, &QLineEdit::textChanged, this, &RewritesDialog::filter);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(all, &QPushButton::clicked, this, [this] {
        m_excluded.clear();
        refresh();
        Q_EMIT excludedChanged(m_excluded);
    });
    connect(m_tree, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem *item) {
        const QString name = item->data(0, kNameRole).toString();
        if (m_refreshing || name.isEmpty()) return;
        m_excluded.removeAll(name);
        if (item->checkState(0) == Qt::Unchecked) m_excluded << name;
        refresh();
        Q_EMIT excludedChanged(m_excluded);
    });
    refresh();
    m_search->setFocus();
}

QTreeWidgetItem *RewritesDialog::add(QTreeWidgetItem *parent, const QString &name, const QString &title, const QString &about)
{
    auto *item = new QTreeWidgetItem(parent, {title, about});
    item->setData(0, kNameRole, name);
    item->setData(0, kTextRole, QString(title + u' ' + about));
    item->setToolTip(0, name);
    item->setToolTip(1, about.toHtmlEscaped());
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(0, Qt::Checked);
    return item;
}

void RewritesDialog::fill(const std::vector<RewriteChoice> &rewrites)
{
    std::map<QString, int> tags;
    for (const QString &phase : Theme::phaseNames()) {
        QTreeWidgetItem *group = nullptr;
        for (const RewriteChoice &rewrite : rewrites) {
            if (rewrite.phase != phase) continue;
            if (!group) group = add(m_tree->invisibleRootItem(), phase, phaseTitle(Theme::phaseName(phase)), tr("the whole phase"));
            const QString words = rewrite.tags.join(QStringLiteral(", "));
            add(group, rewrite.name, rewrite.name,
                rewrite.why.isEmpty() ? words
                : words.isEmpty()     ? rewrite.why
                                      : words + QStringLiteral(" · ") + rewrite.why);
            for (const QString &tag : rewrite.tags) ++tags[tag];
        }
        // Names of phases are tags, so they can be switched off before any session was seen.
        if (!group && rewrites.empty()) add(m_tree->invisibleRootItem(), phase, phaseTitle(Theme::phaseName(phase)), tr("the whole phase"));
    }
    if (tags.empty()) return;
    auto *group = new QTreeWidgetItem(m_tree->invisibleRootItem(), {tr("Tags"), tr("all rewrites that have it")});
    group->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    for (const auto &[tag, count] : tags) add(group, tag, tag, views::formats::counted(count, views::formats::Thing::Rewrite));
}

void RewritesDialog::filter()
{
    const QStringList words = m_search->text().split(u' ', Qt::SkipEmptyParts);
    const auto answers = [&words](const QTreeWidgetItem *item) {
        const QString text = item->data(0, kTextRole).toString();
        return std::all_of(words.begin(), words.end(), [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
    };
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem *group = m_tree->topLevelItem(i);
        bool any = words.isEmpty() || answers(group);
        for (int j = 0; j < group->childCount(); ++j) {
            const bool shown = words.isEmpty() || answers(group->child(j));
            group->child(j)->setHidden(!shown);
            any = any || shown;
        }
        group->setHidden(!any);
        group->setExpanded(!words.isEmpty() && any);
    }
}

void RewritesDialog::refresh()
{
    m_refreshing = true;
    forEach(m_tree->invisibleRootItem(), [this](QTreeWidgetItem *item) {
        const QString name = item->data(0, kNameRole).toString();
        if (!name.isEmpty()) item->setCheckState(0, m_excluded.contains(name) ? Qt::Unchecked : Qt::Checked);
    });
    m_refreshing = false;
    m_count->setText(m_excluded.isEmpty() ? tr("Nothing is switched off") : tr("Off: %1").arg(m_excluded.join(QStringLiteral(", "))));
}

} // namespace app
