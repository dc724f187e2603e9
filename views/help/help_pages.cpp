#include "views/help/help_pages.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <iterator>

namespace views {
namespace {

constexpr qsizetype kLong = 12 * 1024; // characters; beyond, a page is shown part by part

struct ViewPage {
    const char *view;
    const char *page;
    const char *anchor;
};
constexpr ViewPage kViewPages[] = {
    {"welcome", "first-minutes", ""},
    {"graph", "first-minutes", "see-it-as-a-picture"},
    {"steps", "rewrites", ""},
    {"profile", "profiles", ""},
    {"operations", "profiles", "theanos-tables"},
    {"summary", "profiles", "the-summary"},
    {"functions", "profiles", "the-summary"},
    {"compare", "profiles", "what-to-do-with-it"},
    {"history", "history", ""},
    {"worth", "captured", "what-each-rewrite-is-worth"},
    {"roofline", "what-could-be", "what-a-machine-can-do"},
    {"timeline", "profiles", ""},
    {"flame", "profiles", ""},
    {"memory", "memory", ""},
    {"transfers", "profiles", ""},
    {"ranks", "ranks", "who-waits-for-whom"},
    {"code", "architecture", "the-way-of-a-call-of-theanofunction"},
    {"output", "session", ""},
    {"source", "expressions", "in-python"},
    {"inspector", "profiles", "what-to-do-with-it"},
    {"lessons", "lessons", ""},
};

/// As the rendered site and Markdown viewers make them of headings.
QString anchorOf(const QString &title)
{
    QString anchor;
    for (const QChar c : title.toLower()) {
        if (c.isLetterOrNumber() || c == u'_' || c == u'-') anchor += c;
        else if (c.isSpace() && !anchor.endsWith(u'-')) anchor += u'-';
    }
    return anchor;
}

} // namespace

QString docsFolder()
{
    return QDir(QCoreApplication::applicationDirPath() + "/../docs").canonicalPath(); // empty where there is none
}

HelpPages::HelpPages(const QString &folder) : m_folder(folder)
{
    if (folder.isEmpty()) return;
    for (const QFileInfo &info : QDir(folder).entryInfoList({"*.md"}, QDir::Files, QDir::Name)) {
        QFile file(info.filePath());
        if (!file.open(QIODevice::ReadOnly)) continue;
        Page page{QString::fromUtf8(file.readAll()), {}};
        bool isCode = false;
        for (qsizetype at = 0; at < page.text.size();) {
            const qsizetype end = page.text.indexOf(u'\n', at);
            const QString line = page.text.mid(at, end < 0 ? -1 : end - at);
            if (line.startsWith("```")) isCode = !isCode;
            const auto level = static_cast<int>(std::find_if(line.begin(), line.end(), [](QChar c) { return c != u'#'; }) - line.begin());
            if (!isCode && level > 0 && level < line.size() && line[level] == u' ') {
                for (Part &above : page.parts)
                    if (above.end == 0 && above.level >= level) above.end = at;
                page.parts.push_back({level, line.mid(level + 1), anchorOf(line.mid(level + 1)), at, 0});
            }
            at = end < 0 ? page.text.size() : end + 1;
        }
        for (Part &part : page.parts)
            if (part.end == 0) part.end = page.text.size();
        if (page.parts.empty()) continue;
        m_names << info.completeBaseName();
        m_pages.insert(info.completeBaseName(), page);
    }
}

const HelpPages::Part *HelpPages::part(const HelpPlace &place) const
{
    const auto page = m_pages.constFind(place.page);
    if (page == m_pages.cend()) return nullptr;
    if (place.anchor.isEmpty()) return &page->parts.front();
    const auto found =
        std::find_if(page->parts.begin(), page->parts.end(), [&place](const Part &part) { return part.anchor == place.anchor; });
    return found == page->parts.end() ? nullptr : &*found;
}

bool HelpPages::has(const HelpPlace &place) const { return part(place) != nullptr; }

QString HelpPages::markdown(const HelpPlace &place) const
{
    const Part *shown = part(place);
    if (!shown) return {};
    const Page &page = *m_pages.constFind(place.page);
    const Part &whole = page.parts.front();
    const QString text = page.text.mid(shown->begin, shown->end - shown->begin);
    if (shown != &whole) {
        const QString above = QStringLiteral("[%1](%2.md)\n\n").arg(whole.title, place.page);
        if (text.size() <= kLong) return above + text;
        return above + QString(shown->level, u'#') + ' ' + shown->title + "\n\n" + text.mid(text.indexOf(u'\n') + 1, kLong);
    }
    if (text.size() <= kLong) return text;
    const qsizetype firstPart = page.parts.size() > 1 ? page.parts[1].begin : page.text.size();
    QString list = page.text.left(firstPart);
    for (std::size_t i = 1; i < page.parts.size(); ++i) {
        const Part &each = page.parts[i];
        list += QStringLiteral("%1- [%2](%3.md#%4)\n").arg(QString(2 * (each.level - 2), u' '), each.title, place.page, each.anchor);
    }
    return list;
}

std::vector<HelpPlace> HelpPages::search(const QString &words) const
{
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    std::vector<HelpPlace> pages, parts;
    if (wanted.isEmpty()) return pages;
    for (const QString &name : m_names)
        for (const Part &part : m_pages.constFind(name)->parts) {
            const bool answers = std::all_of(wanted.begin(), wanted.end(),
                                             [&part](const QString &word) { return part.title.contains(word, Qt::CaseInsensitive); });
            if (answers && part.level == 1) pages.push_back({name, {}, part.title});
            else if (answers) parts.push_back({name, part.anchor, part.title});
        }
    pages.insert(pages.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    return pages;
}

HelpPlace HelpPages::placeOf(const QString &view) const
{
    for (const ViewPage &row : kViewPages)
        if (view == QLatin1String(row.view)) return {QLatin1String(row.page), QLatin1String(row.anchor), {}};
    return {QStringLiteral("index"), {}, {}};
}

HelpPlace HelpPages::placeOfRewrite(const QString &name) const { return {QStringLiteral("rewrites"), anchorOf(name), name}; }

HelpPlace HelpPages::placeOfLink(const QString &from, const QString &address) const
{
    const qsizetype hash = address.indexOf(u'#');
    const QString path = address.left(hash), anchor = hash < 0 ? QString() : address.mid(hash + 1);
    if (path.isEmpty()) return {from, anchor, {}};
    if (path.contains(u'/') || !path.endsWith(".md")) return {};
    return {path.chopped(3), anchor, {}};
}

} // namespace views
