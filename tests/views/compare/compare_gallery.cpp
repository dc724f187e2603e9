// compare_gallery FOLDER A B: the comparison of two sessions, every table, in both themes, small and at 200 % text, to be looked at.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif

#include "views/common/palette.h"
#include "views/compare/compare_view.h"

#include <QApplication>
#include <QEventLoop>
#include <QTimer>

using namespace views;

int main(int count, char **arguments)
{
    QApplication application(count, arguments);
    const QStringList words = application.arguments();
    if (words.size() != 4) return 2;
    for (const bool dark : {false, true})
        for (const double scale : {1.0, 2.0}) {
            applyTheme(application, Theme::load(dark ? ThemeKind::Dark : ThemeKind::Light, scale));
            SelectionHub hub;
            CompareView view(hub);
            view.resize(dark ? QSize(1024, 560) : QSize(1440, 760));
            view.setPaths(words[2], words[3]);
            QEventLoop loop;
            QTimer poll;
            QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
                if (view.rows() || !view.sentence().isEmpty()) loop.quit();
            });
            poll.start(20);
            loop.exec();
            const char *names[] = {"applies", "functions", "only", "settings", "script"};
            for (int table = 0; table < 5; ++table) {
                view.choose(static_cast<CompareTable>(table));
                view.grab().save(
                    QStringLiteral("%1/compare-%2-%3-%4.png").arg(words[1], names[table], dark ? "dark" : "light").arg(scale * 100));
            }
        }
}
