#include "views/common/measuring.h"

#include "views/common/selection_hub.h"

namespace views {

Measuring::Measuring(SelectionHub &hub) : QObject(&hub), m_hub(hub) {}

Measuring &Measuring::of(SelectionHub &hub)
{
    if (auto *known = hub.findChild<Measuring *>(QString(), Qt::FindDirectChildrenOnly)) return *known;
    return *new Measuring(hub);
}

void Measuring::set(const State &state)
{
    m_now = state;
    Q_EMIT changed();
}

void Measuring::setDevices(std::vector<Device> devices)
{
    m_devices = std::move(devices);
    Q_EMIT changed();
}

void Measuring::ask(const QStringList &words) { m_hub.request(MeasureSession{words}); }

void Measuring::stop() { m_hub.request(Command::StopMeasuring); }

} // namespace views
