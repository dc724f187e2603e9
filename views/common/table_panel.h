#pragma once

#include <QWidget>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace views {

class DataTable;
class ElidedLabel;
class EmptyState;

/// A page with tables: a bar with what they show, and below it one of its pages (a table, a picture), or the reason why there is nothing.
class TablePanel : public QWidget {
    Q_OBJECT
public:
    explicit TablePanel(QWidget *parent = nullptr);

    /// Controls left of the caption, and right of it.
    void addLeft(QWidget *widget);
    void addRight(QWidget *widget);
    /// Right of "Copy the table as text".
    void addLast(QWidget *widget);
    void addPage(QWidget *page);
    /// Shows a page from now on, where it is not empty.
    void showPage(QWidget *page);
    /// What the page shows now: "train · 40 calls".
    void setCaption(const QString &text);
    QString caption() const;
    /// Shows why there is nothing, instead of the page; an empty sentence shows the page.
    void setEmpty(const QString &icon, const QString &sentence, const QString &action = {});
    bool isEmpty() const { return m_isEmpty; }
    QString sentence() const; ///< why there is nothing; empty if there is something
    void setBarVisible(bool visible);
    /// What "Copy the table as text" copies: the page that is shown last, if it is a table, or this one.
    void setCopied(DataTable *table) { m_copied = table; }
    QToolButton *copyButton() const { return m_copy; }

public Q_SLOTS:
    void copyAsText();

Q_SIGNALS:
    void actionTriggered();

protected:
    const QHBoxLayout &left() const { return *m_left; }
    const QHBoxLayout &right() const { return *m_right; }
    /// Right of all that a view adds, left of "Copy the table as text".
    void addBeforeCopy(QWidget *widget);

private:
    QWidget *m_bar;
    QHBoxLayout *m_row;
    QHBoxLayout *m_left;
    QHBoxLayout *m_right;
    ElidedLabel *m_caption;
    QToolButton *m_copy;
    QStackedWidget *m_stack;
    EmptyState *m_empty;
    QWidget *m_page = nullptr;
    DataTable *m_copied = nullptr;
    bool m_isEmpty = false;
};

} // namespace views
