#pragma once

#include <QHash>
#include <QString>
#include <QStringList>

#include <vector>

namespace views {

/// Where something is explained: a page, and a part of it.
struct HelpPlace {
    QString page;   ///< "profiles"
    QString anchor; ///< "the-summary"; empty: the page
    QString title;  ///< of the part, or of the page

    friend bool operator==(const HelpPlace &, const HelpPlace &) = default;
};

/// The pages of a folder. A folder that is not there has none.
class HelpPages {
public:
    explicit HelpPages(const QString &folder);

    bool isEmpty() const { return m_pages.isEmpty(); }
    QString folder() const { return m_folder; }
    bool has(const HelpPlace &place) const;
    /// The Markdown of a place: a part alone; a long page as a list of its parts; another page as it is.
    QString markdown(const HelpPlace &place) const;
    /// Headings that have all words, those of pages first.
    std::vector<HelpPlace> search(const QString &words) const;
    /// What explains a view, by its id or that of its workspace; the first page when nothing does.
    HelpPlace placeOf(const QString &view) const;
    HelpPlace placeOfRewrite(const QString &name) const;
    /// What a link in a page leads to; without a page when it leads out of the folder.
    HelpPlace placeOfLink(const QString &from, const QString &address) const;

private:
    struct Part {
        int level = 0; ///< number of #
        QString title, anchor;
        qsizetype begin = 0, end = 0; ///< in the text
    };
    struct Page {
        QString text;
        std::vector<Part> parts; ///< [0] is the page's title
    };
    const Part *part(const HelpPlace &place) const;

    QString m_folder;
    QStringList m_names;
    QHash<QString, Page> m_pages;
};

/// The documentation beside this program; empty when there is none.
QString docsFolder();

} // namespace views
