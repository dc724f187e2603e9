// The letters of mathematics in a session's names are nobody's: x and y are variables of the script, in no view those of an op.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "profiler/stats/machine/headroom.h"
#include "tests/profiler/session/scratch.h"
#include "views/flame/flame_rows.h"
#include "views/memory/memory_rows.h"
#include "views/timeline/timeline_rows.h"
#endif

#include "views/common/palette.h"
#include "views/common/selection_hub.h"
#include "views/profile/what_if_panel.h"
#include "views/profile/what_if_slider.h"

#include <QFile>
#include <QtTest>

using namespace views;

class NamesTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    std::shared_ptr<const SessionData> m_session; ///< all its applies are "−x"

    /// How often neg is said; none of the texts has the letter.
    template <class Texts>
    static int negsIn(const Texts &texts)
    {
        int negs = 0;
        for (const QString &text : texts) {
            if (text.contains(QStringLiteral("−x"))) QTest::qFail(qPrintable(text), __FILE__, __LINE__);
            negs += text == QLatin1String("neg");
        }
        return negs;
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        const std::string path = m_scratch / "negs.croton";
        QVERIFY(QFile::copy(CROTON_REAL_SESSION, QString::fromStdString(path)));
        profiler::Database database(path, profiler::Database::Access::Write);
        database.execute("INSERT INTO strings SELECT max(id) + 1, '−x' FROM strings");
        database.execute("UPDATE applies SET friendly = (SELECT max(id) FROM strings)");
        m_session = readSession(*profiler::SessionReader::open(path), nullptr);
    }
    void inTheFlameGraph() { QVERIFY(negsIn(m_session->derived<FlameRows>().texts) > 1); }
    void inTheTimeline()
    {
        const auto &rows = m_session->derived<TimelineRows>();
        QList<QString> texts;
        for (const profiler::ZoneLabel &label : rows.timeline.labels) texts << rows.labelText(label);
        QVERIFY(negsIn(texts) > 1);
    }
    void inMemory()
    {
        const auto *rows = m_session->derived<MemoryRows>().of(m_session->busiestFunction());
        QVERIFY(negsIn(rows->positions) > 1);
        negsIn(rows->names);
    }
    void inWhatCouldBe()
    {
        SelectionHub hub;
        const profiler::FunctionId function = m_session->busiestFunction()->id;
        WhatIfPanel panel(hub, m_session, profiler::makeHeadroom(m_session->profile, function), true);
        QList<QString> texts;
        for (const WhatIfSlider *slider : panel.findChildren<WhatIfSlider *>()) texts << slider->title();
        QVERIFY(negsIn(texts) > 0);
    }
};

QTEST_MAIN(NamesTest)
#include "names_test.moc"
