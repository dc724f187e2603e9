// What becomes of a program that finds no display to open its window on.
#pragma once

#include <QStringList>
#include <QtGlobal>

namespace app {

/// While Qt looks for a display. Qt prints several texts and aborts when it finds none; with the guard the program prints one sentence and
/// ends with the status of a wrong use. What else Qt reports meanwhile is printed when the guard goes. One at a time.
class DisplayGuard {
public:
    static constexpr int kStatus = 2;

    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard &) = delete;
    DisplayGuard &operator=(const DisplayGuard &) = delete;

private:
    static void take(QtMsgType type, const QMessageLogContext &context, const QString &message);
    static QString sentence(const QString &fatal);

    static DisplayGuard *s_guard;
    QtMessageHandler m_before;
    QStringList m_reports;  // as they are to be printed
    QString m_firstWarning; // of Qt, without its category
};

} // namespace app
