#include "app/studio/window/view_host.h"

#include "views/common/view_words.h"

#include <QDynamicPropertyChangeEvent>
#include <QWidget>

#include <algorithm>

namespace app {

using namespace views;

ViewHost::ViewHost(const ViewTable &table, SelectionHub &hub, QObject *parent) : QObject(parent), m_table(table), m_hub(hub) {}

QWidget *ViewHost::made(const QString &id) const
{
    for (const Made &view : m_made)
        if (view.entry->id == id) return view.widget;
    return nullptr;
}

QWidget *ViewHost::widget(const QString &id)
{
    if (QWidget *known = made(id)) return known;
    const ViewEntry &entry = m_table.at(id);
    QWidget *widget = entry.make(m_hub);
    if (widget->objectName().isEmpty()) widget->setObjectName(QStringLiteral("view.") + id);
    m_made.push_back({&entry, widget, kAllFeedParts, ~SelectionParts()});
    widget->installEventFilter(this);
    connect(widget, &QObject::destroyed, this,
            [this, widget] { std::erase_if(m_made, [widget](const Made &view) { return view.widget == widget; }); });
    Q_EMIT widgetMade(id, widget);
    return widget;
}

void ViewHost::feed(const ViewFeed &feed)
{
    m_feed = feed;
    for (std::size_t i = 0; i < m_made.size(); ++i) { // a view that is fed may make another one
        m_made[i].changed |= feed.changed;
        m_made[i].selected |= feed.selected;
        if (m_made[i].widget->isVisible()) deliver(m_made[i]);
    }
}

void ViewHost::deliver(Made &view)
{
    if (!view.entry->feed || !view.changed) return;
    if (view.entry->prepare && m_feed.session && !m_feed.session->isPrepared) return; // it is fed when that is made
    ViewFeed feed = m_feed;
    feed.changed = std::exchange(view.changed, {});
    feed.selected = std::exchange(view.selected, {});
    view.entry->feed(*view.widget, feed);
}

bool ViewHost::eventFilter(QObject *object, QEvent *event)
{
    const auto view = std::find_if(m_made.begin(), m_made.end(), [object](const Made &each) { return each.widget == object; });
    if (view == m_made.end()) return false;
    if (event->type() == QEvent::Show) {
        deliver(*view);
    } else if (event->type() == QEvent::DynamicPropertyChange) {
        const QByteArray name = static_cast<QDynamicPropertyChangeEvent *>(event)->propertyName();
        const QString text = object->property(name).toString();
        if (name == kSubtitleProperty) Q_EMIT subtitleChanged(view->entry->id, text);
        else if (name == kBusyProperty) Q_EMIT busyChanged();
        else if (name == kNoteProperty) Q_EMIT noteChanged(view->entry->id, text);
    }
    return false;
}

std::vector<QWidget *> ViewHost::shown() const
{
    std::vector<QWidget *> shown;
    for (const Made &view : m_made)
        if (view.widget->isVisible()) shown.push_back(view.widget);
    return shown;
}

void ViewHost::obey(const Request &request)
{
    const auto *command = std::get_if<Command>(&request);
    const std::vector<Made> made = m_made; // one that obeys may make another
    for (const Made &view : made)
        if (view.entry->obey && (!command || std::ranges::count(view.entry->commands, *command) > 0))
            view.entry->obey(*view.widget, request);
}

bool ViewHost::isSettled() const
{
    const std::vector<QWidget *> views = shown();
    return std::all_of(views.begin(), views.end(), [](QWidget *view) {
        const auto *settling = dynamic_cast<const Settling *>(view);
        return !view->property(kBusyProperty).toBool() && (!settling || settling->isSettled());
    });
}

void ViewHost::settle()
{
    for (QWidget *view : shown())
        if (auto *settling = dynamic_cast<Settling *>(view)) settling->settle();
}

} // namespace app
