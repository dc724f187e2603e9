#pragma once

#include <QHash>
#include <QString>

#include <vector>

namespace profiler {
struct Lesson;
}

namespace views {

/// What was answered to one question last, and whether that was right.
struct KeptAnswer {
    QString text; ///< a number as typed, chosen options, marked nodes by their names
    bool isRight = false;
    bool isRevealed = false; ///< the right one was shown
    int tries = 0;
    QString when; ///< of the last one, in ISO form

    friend bool operator==(const KeptAnswer &, const KeptAnswer &) = default;
};

/// The answers to one lesson, in a file of their own: beside the session it is about, or, where that is one that came with the
/// program, in the folder of sessions.
class LessonAnswers {
public:
    /// Of the file; one that is not there, or is damaged, holds none.
    void load(const QString &path);
    /// Empty on success, else one sentence.
    QString keep(const profiler::Lesson &lesson) const;
    void clear() { m_answers.clear(); }

    const KeptAnswer *find(const QString &question) const;
    void set(const QString &question, const KeptAnswer &answer) { m_answers.insert(question, answer); }
    int rightCount() const;
    QString path() const { return m_path; }

    /// As a table to be read elsewhere: lesson, question, answer, right, tries, when.
    QByteArray csv(const profiler::Lesson &lesson) const;

private:
    QString m_path;
    QHash<QString, KeptAnswer> m_answers;
};

} // namespace views
