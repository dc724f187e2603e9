#include "app/studio/dialogs/rewrites_dialog.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/tips.h"
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
#include <utility>

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

RewritesDialog::RewritesDialog(std::vector<RewriteChoice> rewrites, const QStringList &excluded, QWidget *parent)
    : QDialog(parent), m_rewrites(std::move(rewrites)), m_excluded(excluded)
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
    fill();
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
        if (item->checkState(0) == Qt::Unchecked) switchOff(name);
        else switchOn(name);
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
    item->setToolTip(0, tipText(name));
    item->setToolTip(1, tipText(about));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(0, Qt::Checked);
    return item;
}

void RewritesDialog::fill()
{
    std::map<QString, int> tags;
    for (const QString &phase : Theme::phaseNames()) {
        QTreeWidgetItem *group = nullptr;
        for (const RewriteChoice &rewrite : m_rewrites) {
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
        if (!group && m_rewrites.empty())
            add(m_tree->invisibleRootItem(), phase, phaseTitle(Theme::phaseName(phase)), tr("the whole phase"));
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

namespace {

bool covers(const QString &name, const RewriteChoice &rewrite)
{
    return rewrite.name == name || rewrite.phase == name || rewrite.tags.contains(name);
}

} // namespace

std::vector<const RewriteChoice *> RewritesDialog::membersOf(const QString &name) const
{
    std::vector<const RewriteChoice *> members;
    for (const RewriteChoice &rewrite : m_rewrites)
        if (covers(name, rewrite)) members.push_back(&rewrite);
    return members;
}

bool RewritesDialog::isOff(const RewriteChoice &rewrite) const
{
    return std::any_of(m_excluded.begin(), m_excluded.end(), [&rewrite](const QString &name) { return covers(name, rewrite); });
}

Qt::CheckState RewritesDialog::stateOf(const QString &name) const
{
    const std::vector<const RewriteChoice *> members = membersOf(name);
    const auto off = std::count_if(members.begin(), members.end(), [this](const RewriteChoice *each) { return isOff(*each); });
    if (m_excluded.contains(name) || (off > 0 && off == static_cast<std::ptrdiff_t>(members.size()))) return Qt::Unchecked;
    return off > 0 ? Qt::PartiallyChecked : Qt::Checked;
}

void RewritesDialog::switchOff(const QString &name)
{
    if (!m_excluded.contains(name)) m_excluded << name;
}

void RewritesDialog::switchOn(const QString &name)
{
    const std::vector<const RewriteChoice *> on = membersOf(name);
    const QStringList before = m_excluded;
    m_excluded.removeAll(name);
    m_excluded.removeIf([&on](const QString &each) {
        return std::any_of(on.begin(), on.end(), [&each](const RewriteChoice *rewrite) { return covers(each, *rewrite); });
    });
    for (const QString &gone : before) {
        if (gone == name || m_excluded.contains(gone)) continue;
        for (const RewriteChoice *other : membersOf(gone))
            if (!isOff(*other) && std::find(on.begin(), on.end(), other) == on.end()) m_excluded << other->name;
    }
}

void RewritesDialog::refresh()
{
    m_refreshing = true;
    forEach(m_tree->invisibleRootItem(), [this](QTreeWidgetItem *item) {
        const QString name = item->data(0, kNameRole).toString();
        if (!name.isEmpty()) item->setCheckState(0, stateOf(name));
    });
    m_refreshing = false;
    m_count->setText(m_excluded.isEmpty() ? tr("Nothing is switched off") : tr("Off: %1").arg(m_excluded.join(QStringLiteral(", "))));
}

} // namespace app
