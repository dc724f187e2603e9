#pragma once

#include <QString>

namespace profiler {
struct Lesson;
}

namespace app {

struct Options;

/// Writes a lesson as a PDF to be handed out: its texts with their numbers, its questions with room for an answer, and the graphs at
/// the steps that it is about. With answers also what is right, solutions, and the teacher's notes. Empty on success, else one sentence.
QString writeHandout(const profiler::Lesson &lesson, const QString &samples, const QString &path, bool withAnswers);

/// What --handout asks for: the exit status of the program.
int writeHandout(const Options &options);

} // namespace app
