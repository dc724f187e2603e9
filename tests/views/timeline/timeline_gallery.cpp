// timeline_gallery FOLDER [SESSION]: the timeline from far, near and in a range, in both themes and at 200 % text, to be looked at.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "tests/profiler/stats/tracks.h"
#include "views/timeline/timeline_rows.h"
#endif

#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>

using namespace views;

int main(int count, char **arguments)
{
    QApplication application(count, arguments);
    const QString folder = application.arguments().value(1, QStringLiteral("."));
    const auto reader = profiler::SessionReader::open(application.arguments().value(2, CROTON_REAL_SESSION).toStdString());
    const auto session = readSession(*reader, nullptr);
    const profiler::Timeline &timeline = session->derived<TimelineRows>().timeline;
    for (const bool dark : {false, true})
        for (const double scale : {1.0, 2.0}) {
            applyTheme(application, Theme::load(dark ? ThemeKind::Dark : ThemeKind::Light, scale));
            SelectionHub hub;
            TimelineView view(hub);
            view.resize(1120, scale > 1 ? 520 : 300);
            ViewFeed feed;
            feed.session = session;
            feed.changed = kAllFeedParts;
            view.feed(feed);
            const auto save = [&](const char *what) {
                view.grab().save(QStringLiteral("%1/timeline-%2-%3-%4.png").arg(folder, what, dark ? "dark" : "light").arg(scale * 100));
            };
            save("far");
            const profiler::Track *calls = profiler::trackOf(timeline, profiler::TrackKind::Calls);
            if (!calls) continue;
            const profiler::Track *applies = profiler::trackOf(timeline, profiler::TrackKind::Applies);
            const std::int64_t middle = applies->zones.zones().at(applies->zones.zones().size() / 2).startNs;
            const profiler::Zone &call = calls->zones.zones().at(calls->zones.within(middle, middle + 1).first);
            view.canvas()->axis().show(call.startNs - call.durationNs, call.endNs() + call.durationNs);
            save("near");
            view.canvas()->axis().fit();
            const profiler::Track *compile = profiler::trackOf(timeline, profiler::TrackKind::Compile);
            const profiler::Zone &first = compile->zones.zones().front();
            feed.selection.range = {first.startNs, call.endNs()};
            feed.selected = SelectionPart::Range;
            feed.changed = FeedPart::Selection;
            view.feed(feed);
            save("range");
            view.panel()->showTable(true);
            save("table");
        }
}
