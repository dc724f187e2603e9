#pragma once

#include <QDialog>
#include <QStringList>

#include <vector>

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace views {
class TextLabel;
}

namespace app {

/// A rewrite that can be switched off.
struct RewriteChoice {
    QString name;
    QString phase; ///< as sessions name it
    QStringList tags;
    QString why;
};

/// Rewrites by phase, and tags, each to be switched off for the next run; a search finds names, tags and reasons.
class RewritesDialog : public QDialog {
    Q_OBJECT
public:
    RewritesDialog(std::vector<RewriteChoice> rewrites, const QStringList &excluded, QWidget *parent = nullptr);
    QStringList excluded() const { return m_excluded; }
    QTreeWidget *tree() const { return m_tree; }
    QLineEdit *search() const { return m_search; }

Q_SIGNALS:
    void excludedChanged(const QStringList &excluded);

private:
    QTreeWidgetItem *add(QTreeWidgetItem *parent, const QString &name, const QString &title, const QString &about);
    void fill();
    void filter();
    void refresh();
    /// The rewrite of that name, or those of that phase or tag.
    std::vector<const RewriteChoice *> membersOf(const QString &name) const;
    bool isOff(const RewriteChoice &rewrite) const;
    Qt::CheckState stateOf(const QString &name) const;
    void switchOff(const QString &name);
    /// Where the rewrites are off with their phase or tag, the other members of that stay off by their own names.
    void switchOn(const QString &name);

    std::vector<RewriteChoice> m_rewrites;
    QStringList m_excluded;
    QLineEdit *m_search;
    QTreeWidget *m_tree;
    views::TextLabel *m_count;
    bool m_refreshing = false;
};

} // namespace app
