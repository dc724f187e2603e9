#pragma once

#include "app/studio/window/studio_parts.h"

#include <QObject>

#include <functional>
#include <optional>

class QMainWindow;

namespace app {

class Notices;
class RunController;
class Tour;
class Workspaces;

/// Gives the tour of the window: begins it when there is something to be seen, and says what its stops point at.
class TourGuide : public QObject {
    Q_OBJECT
public:
    TourGuide(QMainWindow &window, StudioParts &parts, Notices &notices, Workspaces &workspaces, RunController &runs,
              std::function<bool()> isReady);

    /// Begins it at a stop; where no function is shown, on a sample as it was recorded.
    void show(int stop);
    /// Begins it once there is something to be seen, unless this person has seen it or stands in a lesson.
    void offer() { m_isOffered = true; }
    const Tour *tour() const { return m_tour; }

Q_SIGNALS:
    void sampleWanted(const QString &name);

private:
    /// Whether what waits can begin: asked when something of the window has changed.
    void look();
    bool isWorthIt() const;
    void begin(int stop);

    QMainWindow &m_window;
    StudioParts &m_parts;
    Notices &m_notices;
    Workspaces &m_workspaces;
    RunController &m_runs;
    std::function<bool()> m_isReady;
    Tour *m_tour = nullptr;      ///< while it is given
    std::optional<int> m_wanted; ///< the stop at which it begins when all is read
    bool m_isOffered = false;
    bool m_looksSoon = false;
};

} // namespace app
