#pragma once

#include "app/studio/window/view_table.h"

#include <QHash>
#include <QObject>

namespace app {

/// A view that finishes its picture later than it was fed says so (a layout runs elsewhere).
class Settling {
public:
    virtual ~Settling() = default;
    virtual bool isSettled() const = 0;
    virtual void settle() = 0; ///< ends what moves at once
};

/// A page of several parts that the keys go round.
class HasPanes {
public:
    virtual ~HasPanes() = default;
    virtual std::vector<QWidget *> panes() const = 0;
};

/// Makes the views of a table when they are first asked for, and feeds them. One that is hidden is fed when it is shown,
/// with all that changed meanwhile, so that what nobody sees costs nothing.
class ViewHost : public QObject {
    Q_OBJECT
public:
    ViewHost(const ViewTable &table, views::SelectionHub &hub, QObject *parent = nullptr);

    const ViewTable &table() const { return m_table; }
    /// The widget of a view, made now if it was not; it belongs to whom takes it as a child. Throws ViewError.
    QWidget *widget(const QString &id);
    QWidget *made(const QString &id) const; ///< null when nobody asked for it yet
    void feed(const views::ViewFeed &feed);
    /// Hands a request to the views that obey it.
    void obey(const views::Request &request);
    bool isSettled() const;
    void settle();

Q_SIGNALS:
    void widgetMade(const QString &id, QWidget *widget);
    void subtitleChanged(const QString &id, const QString &text);
    void busyChanged(); ///< a view has begun or ended something
    void noteChanged(const QString &id, const QString &text);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    struct Made {
        const ViewEntry *entry = nullptr;
        QWidget *widget = nullptr;
        views::FeedParts changed;
        views::SelectionParts selected;
    };
    void deliver(Made &view);
    std::vector<QWidget *> shown() const;

    const ViewTable &m_table;
    views::SelectionHub &m_hub;
    views::ViewFeed m_feed;
    std::vector<Made> m_made;
};

} // namespace app
