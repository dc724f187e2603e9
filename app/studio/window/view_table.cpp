#include "app/studio/window/view_table.h"

#include "views/common/text.h"

namespace app {

using views::tr;

namespace {

QStringList words(const char *text) { return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts); }

QString bare(QString workspace) { return workspace.remove(QLatin1Char('?')); }

[[noreturn]] void refuse(const QString &sentence) { throw ViewError(sentence.toStdString()); }

} // namespace

QString ViewEntry::titleText() const { return tr(title); }

QList<QKeySequence> ViewEntry::sequences() const
{
    QList<QKeySequence> result;
    for (const QString &key : words(keys)) result << QKeySequence(key);
    return result;
}

bool ViewEntry::givesWay(const QString &workspace) const { return words(place.opensIn).contains(workspace + QLatin1Char('?')); }

bool ViewEntry::opensIn(const QString &workspace, bool narrow) const
{
    return words(place.opensIn).contains(workspace) || (!narrow && givesWay(workspace));
}

bool ViewEntry::alsoIn(const QString &workspace) const { return words(place.alsoIn).contains(workspace); }

bool ViewEntry::standsIn(const QString &workspace) const { return opensIn(workspace) || alsoIn(workspace); }

QString ViewEntry::home() const { return bare(words(place.opensIn).value(0)); }

ViewTable::ViewTable(std::vector<ViewEntry> entries) : m_entries(std::move(entries))
{
    QStringList seen;
    for (const ViewEntry &entry : m_entries) {
        if (seen.contains(entry.id))
            refuse(tr("Two views have the id “%1”; each needs one of its own, and taken are %2.").arg(entry.id, ids().join(", ")));
        seen << entry.id;
        if (!entry.make && !entry.missing) refuse(tr("The view “%1” has neither a widget nor a sentence why it is missing.").arg(entry.id));
    }
    QStringList workspaces;
    for (const ViewEntry &entry : m_entries)
        if (entry.place.area == Area::Page)
            for (const QString &workspace : words(entry.place.opensIn)) workspaces << workspace;
    for (const ViewEntry &entry : m_entries)
        for (const QString &workspace : words(entry.place.opensIn) + words(entry.place.alsoIn))
            if (!workspaces.contains(bare(workspace)))
                refuse(tr("The view “%1” stands in a workspace “%2” that no page opens; there are %3.")
                           .arg(entry.id, bare(workspace), workspaces.join(", ")));
}

QStringList ViewTable::ids() const
{
    QStringList ids;
    for (const ViewEntry &entry : m_entries)
        if (!entry.missing) ids << entry.id;
    return ids;
}

const ViewEntry *ViewTable::find(const QString &id) const
{
    for (const ViewEntry &entry : m_entries)
        if (entry.id == id) return &entry;
    return nullptr;
}

const ViewEntry &ViewTable::at(const QString &id) const
{
    const ViewEntry *entry = find(id);
    if (!entry) refuse(tr("There is no view “%1”; the views are %2.").arg(id, ids().join(", ")));
    if (entry->missing) refuse(tr("The view “%1” cannot be shown. %2.").arg(id, tr(entry->missing)));
    return *entry;
}

const ViewEntry &ViewTable::pageOf(const QString &workspace) const
{
    for (const ViewEntry &entry : m_entries)
        if (entry.place.area == Area::Page && entry.opensIn(workspace)) return entry;
    return at(workspace);
}

bool ViewTable::isWorkspace(const QString &id) const
{
    const ViewEntry *entry = find(id);
    return entry && entry->opensIn(id);
}

QString ViewTable::workspaceFor(const ViewEntry &entry, const QString &current) const
{
    if (isWorkspace(entry.id)) return entry.id;
    return entry.standsIn(current) ? current : entry.home();
}

std::vector<views::ViewName> ViewTable::showIn() const
{
    std::vector<views::ViewName> names;
    for (const ViewEntry &entry : m_entries)
        if (entry.inShowIn && !entry.missing) names.push_back({entry.id, entry.titleText(), QString::fromLatin1(entry.icon)});
    return names;
}

} // namespace app
