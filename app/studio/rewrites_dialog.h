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
    RewritesDialog(const std::vector<RewriteChoice> &rewrites, const QStringList &excluded, QWidget *parent = nullptr);
    QStringList excluded() const { return m_excluded; }
    QTreeWidget *tree() const { return m_tree; }
    QLineEdit *search() const { return m_search; }

Q_SIGNALS:
    void excludedChanged(const QStringList &excluded);

private:
    QTreeWidgetItem *add(QTreeWidgetItem *parent, const QString &name, const QString &title, const QString &about);
    void fill(const std::vector<RewriteChoice> &rewrites);
    void filter();
    void refresh();

    QStringList m_excluded;
    QLineEdit *m_search;
    QTreeWidget *m_tree;
    views::TextLabel *m_count;
    bool m_refreshing = false;
};

} // namespace app
