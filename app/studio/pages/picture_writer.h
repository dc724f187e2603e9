#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/graph/graph_export.h"
#endif

#include <QTimer>

#include <functional>
#include <memory>

namespace app {

/// Writes pictures of graphs in another thread, one at a time: into files, or for the clipboard. The window shows how far it is.
class PictureWriter : public QObject {
    Q_OBJECT
public:
    explicit PictureWriter(views::SelectionHub &hub, QObject *parent = nullptr);
    ~PictureWriter() override;

    void write(views::GraphSheet sheet, const QString &path);
    void copy(views::GraphDrawing drawing);
    bool isBusy() const { return m_progress != nullptr; }

Q_SIGNALS:
    void busyChanged(bool isBusy);

private:
    /// False where another picture is not ready yet, which is said.
    bool begin(const QString &name);
    void tell();
    void end(const QString &result);

    views::SelectionHub &m_hub;
    std::shared_ptr<views::PaintProgress> m_progress; ///< of what is under way; null: nothing is
    QString m_name;
    QTimer m_beat;
};

} // namespace app
