// What lessons ask of graphs can be seen in the picture: each answer is counted once more from what the studio draws.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/lessons/judge.h"
#include "profiler/lessons/lesson_check.h"
#include "profiler/session/store/reader.h"
#include "views/graph/graph_scenes.h"
#endif

#include <QRegularExpression>
#include <QtTest>

using namespace views;
using profiler::LessonBlock;
using profiler::LessonBlockKind;

class LessonPicturesTest : public QObject {
    Q_OBJECT

    /// The session of a sample, as facts and as the studio reads it.
    struct Opened {
        explicit Opened(const std::string &path) : facts(path), data(readSession(*facts.reader, nullptr)) {}
        profiler::LessonSession facts;
        std::shared_ptr<const SessionData> data;
    };
    std::map<std::string, std::unique_ptr<Opened>> m_opened;
    std::map<std::tuple<const Opened *, std::uint32_t, int>, Scene> m_scenes;
    int m_counted = 0, m_clicked = 0;

    Opened &opened(const std::string &sample)
    {
        std::unique_ptr<Opened> &one = m_opened[sample];
        if (!one) one = std::make_unique<Opened>(profiler::sampleSession(CROTON_ROOT "/samples", sample));
        return *one;
    }

    const Scene &sceneAt(Opened &opened, int step)
    {
        profiler::SessionFacts &facts = *opened.facts.facts;
        const auto graph = opened.data->graphs.at(facts.function().graph);
        const auto [place, isNew] = m_scenes.try_emplace({&opened, raw(facts.function().graph), step});
        if (isNew) place->second = GraphScenes(opened.data, graph).at(step, {}, false);
        return place->second;
    }
    static bool isDrawn(const Scene &scene, profiler::GraphId graph, profiler::ApplyId id)
    {
        return scene.find(sceneKey(raw(graph), SceneRole::Apply, raw(id))) >= 0;
    }

    /// An expression in which what counts nodes is a number, counted in the pictures.
    QString seen(Opened &opened, const std::string &expression)
    {
        const QString place = "(first|last|\"[^\"]*\")"; // no raw string: moc 6.4 loses the class behind one
        static const QRegularExpression countOf("(applies|drawn)\\(" + place +
                                                "(?:, (\"[^\"]*\"))?\\)|count\\(((?:nodes|inplace|viewing|on_device)\\(" + place +
                                                "[^()]*\\))\\)");
        if (expression.find("in(") == 0 || expression.find("(in(") != std::string::npos || expression.find(" in(") != std::string::npos)
            return QString::fromStdString(expression); // of another function's picture
        profiler::SessionFacts &facts = *opened.facts.facts;
        QString text = QString::fromStdString(expression), out;
        qsizetype at = 0;
        for (auto each = countOf.globalMatch(text); each.hasNext();) {
            const QRegularExpressionMatch match = each.next();
            const bool isCount = match.captured(1).isEmpty();
            const int step = facts.step(match.captured(isCount ? 5 : 2).remove('"').toStdString());
            const std::string nodes = isCount ? match.captured(4).toStdString()
                                              : "nodes(" + match.captured(2).toStdString() +
                                                    (match.captured(3).isEmpty() ? "" : ", " + match.captured(3).toStdString()) + ")";
            const std::set<profiler::ApplyId> meant = facts.value(nodes).nodes;
            const Scene &scene = sceneAt(opened, step);
            const auto count =
                std::count_if(meant.begin(), meant.end(), [&](auto id) { return isDrawn(scene, facts.function().graph, id); });
            out += text.mid(at, match.capturedStart() - at) + QString::number(count);
            at = match.capturedEnd();
            ++m_counted;
        }
        return out + text.mid(at);
    }

    void checkQuestion(Opened &opened, const LessonBlock &question, int step, const QString &where)
    {
        profiler::SessionFacts &facts = *opened.facts.facts;
        if (question.kind == LessonBlockKind::Number) {
            QCOMPARE(facts.value(seen(opened, question.answer).toStdString()).number, facts.value(question.answer).number);
        } else if (question.kind == LessonBlockKind::Choice) {
            for (const profiler::LessonOption &option : question.options)
                if (!option.condition.empty())
                    QVERIFY2(facts.holds(seen(opened, option.condition).toStdString()) == facts.holds(option.condition), qPrintable(where));
        } else if (question.kind == LessonBlockKind::Nodes) {
            const Scene &scene = sceneAt(opened, step);
            for (const profiler::ApplyId id : profiler::judgeNodes(facts, question, {}, step).missed)
                QVERIFY2(isDrawn(scene, facts.function().graph, id), qPrintable(where));
            // A picture after a step also draws what the step touched, but never leaves out more.
            for (const profiler::ApplyId id : facts.graphAt(step).applies())
                QVERIFY2(isDrawn(scene, facts.function().graph, id) || !facts.isDrawn(id, step), qPrintable(where));
            ++m_clicked;
        }
    }

private Q_SLOTS:
    void everyAnswerIsSeen()
    {
        for (const profiler::Lesson &lesson : profiler::lessonsIn(CROTON_ROOT "/resources/lessons"))
            for (const profiler::LessonPage &page : lesson.pages) {
                if (page.stand.sample.empty()) continue;
                Opened &here = opened(page.stand.sample);
                here.facts.facts->setFunction(page.stand.function);
                const int step = here.facts.facts->step(page.stand.at);
                for (const LessonBlock &block : page.blocks) {
                    if (!block.isQuestion()) continue;
                    const QString where = QString::fromStdString(lesson.name + "/" + block.id);
                    checkQuestion(here, block, step, where);
                    if (QTest::currentTestFailed()) {
                        qWarning() << where;
                        return;
                    }
                }
            }
        QVERIFY2(m_counted >= 8, "what counts nodes is found in the questions");
        QVERIFY2(m_clicked >= 12, "nodes are asked for");
    }

    /// The two boxes of the first lesson.
    void theFirstQuestionIsAboutTwoBoxes()
    {
        std::vector<profiler::LessonFault> faults;
        const profiler::Lesson lesson = profiler::readLessonFile(CROTON_ROOT "/resources/lessons/graph.md", faults);
        Opened &here = opened("first_function");
        here.facts.facts->setFunction("f");
        const Scene &scene = sceneAt(here, 0);
        const auto boxes = std::count_if(scene.nodes.begin(), scene.nodes.end(), [](const SceneNode &node) {
            return isApply(node.kind) && sceneRole(node.key) == SceneRole::Apply;
        });
        QCOMPARE(boxes, 2);
        QCOMPARE(profiler::judgeNumber(*here.facts.facts, *lesson.question("applies-as-written"), "2").isRight, true);
        QCOMPARE(profiler::judgeNumber(*here.facts.facts, *lesson.question("applies-as-written"), "3").isRight, false);
    }
};

QTEST_MAIN(LessonPicturesTest)
#include "lesson_pictures_test.moc"
