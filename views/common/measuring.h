#pragma once

#include <QObject>
#include <QStringList>

#include <vector>

namespace views {

class SelectionHub;

/// What the window measures for its views afterwards, by commands of `croton` on the session. One for each hub, on which it hangs.
class Measuring : public QObject {
    Q_OBJECT
public:
    static Measuring &of(SelectionHub &hub);

    /// What is measured now, or how that ended.
    struct State {
        QStringList words; ///< of `croton`: "ablate", "--function", "3"; empty: nothing was asked for
        QString text;      ///< what goes on
        double share = -1; ///< 0 … 1; below 0: nobody knows how much is left
        bool isRunning = false;
        QString failure; ///< one sentence, of one that ended
        QString out;     ///< the file that it was to write, of one that ended well

        QString what() const { return words.value(0); }
    };
    const State &now() const { return m_now; }
    /// What this machine has to measure on; empty until somebody has looked.
    struct Device {
        QString name, reason; ///< why not
        bool isThere = true;
    };
    const std::vector<Device> &devices() const { return m_devices; }
    void setDevices(std::vector<Device> devices);
    void set(const State &state);
    /// Asks the window; what is found comes with the next snapshot of the session. A word "%out" stands for a new file.
    void ask(const QStringList &words);
    void stop();
    /// Forgets how the last one ended.
    void forget() { set({}); }

Q_SIGNALS:
    void changed();

private:
    explicit Measuring(SelectionHub &hub);
    SelectionHub &m_hub;
    State m_now;
    std::vector<Device> m_devices;
};

} // namespace views
