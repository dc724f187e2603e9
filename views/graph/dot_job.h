// One layout by Graphviz in a child process that can be killed.
#pragma once

#include "views/common/child_process.h"
#include "views/graph/scene_layout.h"

#include <QObject>

namespace views {

// Lives on the GUI thread, never blocks it. Emits finished exactly once; a failed, cancelled or late one with an empty
// memory and the reason.
class DotJob : public QObject {
    Q_OBJECT
public:
    static constexpr int kMaxNodes = 1000;
    static constexpr int kTimeoutMs = 4000;

    DotJob(const Scene &scene, const Picture &picture, const Theme &theme, QObject *parent = nullptr);

    // `program` empty: croton-dot beside the application, or in its libexec folder.
    void start(const QString &program = {}, int timeoutMs = kTimeoutMs);
    void cancel();

    [[nodiscard]] static QString findProgram();

Q_SIGNALS:
    void finished(const views::PictureMemory &memory, const QString &reason);

private:
    void finish(const PictureMemory &memory, const QString &reason);
    void readAnswer(const ChildEnd &end);

    ChildProcess m_process;
    Scene m_scene;
    DotQuestion m_question;
    bool m_done = false;
};

} // namespace views
