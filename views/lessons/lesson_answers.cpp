#include "views/lessons/lesson_answers.h"

#include "profiler/lessons/lesson.h"
#include "views/common/text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace views {
namespace {

constexpr qint64 kMostBytes = 1024 * 1024;

QString quoted(QString text) { return '"' + text.replace('"', QStringLiteral("\"\"")) + '"'; }

} // namespace

void LessonAnswers::load(const QString &path)
{
    m_path = path;
    m_answers.clear();
    QFile file(path);
    if (file.size() > kMostBytes || !file.open(QIODevice::ReadOnly)) return;
    const QJsonObject answers = QJsonDocument::fromJson(file.readAll()).object()["answers"].toObject();
    for (auto each = answers.begin(); each != answers.end(); ++each) {
        const QJsonObject one = each.value().toObject();
        m_answers.insert(each.key(), {one["answer"].toString(), one["right"].toBool(), one["revealed"].toBool(), one["tries"].toInt(),
                                      one["when"].toString()});
    }
}

QString LessonAnswers::keep(const profiler::Lesson &lesson) const
{
    QJsonObject answers;
    for (auto each = m_answers.cbegin(); each != m_answers.cend(); ++each)
        answers[each.key()] = QJsonObject{
            {"answer", each->text}, {"right", each->isRight}, {"revealed", each->isRevealed}, {"tries", each->tries}, {"when", each->when}};
    const QJsonObject all{{"lesson", QString::fromStdString(lesson.name)},
                          {"title", QString::fromStdString(lesson.title)},
                          {"questions", lesson.questionCount()},
                          {"answers", answers}};
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    QSaveFile file(m_path);
    const QByteArray text = QJsonDocument(all).toJson();
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) return {};
    return tr("Your answers could not be kept in %1: %2. Export them before you leave.").arg(m_path, file.errorString());
}

const KeptAnswer *LessonAnswers::find(const QString &question) const
{
    const auto found = m_answers.constFind(question);
    return found == m_answers.cend() ? nullptr : &*found;
}

int LessonAnswers::rightCount() const
{
    int count = 0;
    for (const KeptAnswer &answer : m_answers) count += answer.isRight ? 1 : 0;
    return count;
}

QByteArray LessonAnswers::csv(const profiler::Lesson &lesson) const
{
    QString out = QStringLiteral("lesson,page,question,answer,right,revealed,tries,when\r\n");
    for (const profiler::LessonPage &page : lesson.pages)
        for (const profiler::LessonBlock &block : page.blocks) {
            if (!block.isQuestion()) continue;
            const QString id = QString::fromStdString(block.id);
            const KeptAnswer *answer = find(id);
            const KeptAnswer none;
            const KeptAnswer &one = answer ? *answer : none;
            out += QStringList{quoted(QString::fromStdString(lesson.title)),
                               quoted(QString::fromStdString(page.title)),
                               quoted(id),
                               quoted(one.text),
                               one.tries == 0 ? QString()
                               : one.isRight  ? QStringLiteral("yes")
                                              : QStringLiteral("no"),
                               one.isRevealed ? QStringLiteral("yes") : QString(),
                               QString::number(one.tries),
                               one.when}
                       .join(',') +
                   "\r\n";
        }
    return out.toUtf8();
}

} // namespace views
