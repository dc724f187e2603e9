// The event that kept the GUI thread longest.
#pragma once

#include <QApplication>

#include <ctime>

/// An application that notes how long its events take, in processor time: what other programs take does not count.
class Watchdog : public QApplication {
public:
    using QApplication::QApplication;

    static double threadMs()
    {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
    }

    void begin()
    {
        longestMs = 0;
        longest.clear();
    }
    bool notify(QObject *receiver, QEvent *event) override
    {
        if (m_depth++ > 0) {
            const bool taken = QApplication::notify(receiver, event);
            --m_depth;
            return taken;
        }
        const QString what = QStringLiteral("event %1 of %2").arg(event->type()).arg(receiver->metaObject()->className());
        const double start = threadMs();
        const bool taken = QApplication::notify(receiver, event);
        const double took = threadMs() - start;
        if (took > 16 && qEnvironmentVariableIsSet("CROTON_STALLS")) qInfo("%.1f ms: %s", took, qPrintable(what));
        if (took > longestMs) {
            longestMs = took;
            longest = what;
        }
        --m_depth;
        return taken;
    }

    double longestMs = 0;
    QString longest;

private:
    int m_depth = 0;
};
