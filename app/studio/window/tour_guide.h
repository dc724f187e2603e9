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

/// Gives the tour of the window: starts it once a graph is shown, and defines its stops.
class TourGuide : public QObject {
    Q_OBJECT
public:
    TourGuide(QMainWindow &window, StudioParts &parts, Notices &notices, Workspaces &workspaces, RunController &runs,
              std::function<bool()> isReady);

    /// Begins it at a stop; where no function is shown, on a sample as it was recorded.
    void show(int stop);
    /// Starts the tour once a graph is shown, unless the person has seen it or a lesson is open.
    void offer();
    const Tour *tour() const { return m_tour; }

Q_SIGNALS:
    void sampleWanted(const QString &name);

private:
    /// Starts the tour if it can begin now.
    void look();
    void lookIn(int ms);
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
