#include "app/studio/pages/picture_writer.h"

#include "views/common/background.h"
#include "views/common/long_work.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>

#include <algorithm>

namespace app {

using namespace views;

namespace {

constexpr int kBeatMs = 100;

}

PictureWriter::PictureWriter(SelectionHub &hub, QObject *parent) : QObject(parent), m_hub(hub)
{
    m_beat.setInterval(kBeatMs);
    connect(&m_beat, &QTimer::timeout, this, &PictureWriter::tell);
    connect(&LongWork::of(hub), &LongWork::calledOff, this, [this] {
        if (m_progress) m_progress->isCalledOff = true;
    });
}

PictureWriter::~PictureWriter()
{
    if (m_progress) m_progress->isCalledOff = true;
}

bool PictureWriter::begin(const QString &name)
{
    if (isBusy()) {
        Q_EMIT m_hub.noticed(tr("%1 is still being drawn. Wait for it, or cancel it.").arg(m_name), true);
        return false;
    }
    m_name = name;
    m_progress = std::make_shared<PaintProgress>();
    LongWork::of(m_hub).begin();
    tell();
    m_beat.start();
    Q_EMIT busyChanged(true);
    return true;
}

void PictureWriter::tell()
{
    const int total = m_progress->total, done = m_progress->done;
    LongWork::of(m_hub).tell(m_progress->isWriting ? tr("Writing %1…").arg(m_name)
                             : total > 0           ? tr("Drawing %1… %2 %").arg(m_name).arg(std::min(99, 100 * done / total))
                                                   : tr("Drawing %1…").arg(m_name));
}

void PictureWriter::end(const QString &result)
{
    m_beat.stop();
    m_progress.reset();
    LongWork::of(m_hub).end(result);
    Q_EMIT busyChanged(false);
}

void PictureWriter::write(GraphSheet sheet, const QString &path)
{
    if (!begin(QFileInfo(path).fileName())) return;
    inBackground(
        this, [sheet = std::move(sheet), path, progress = m_progress] { return exportGraph(sheet, formatOfPath(path), path, *progress); },
        [this, path](ExportEnd &&written) {
            end(written.isWritten         ? tr("The picture is written: %1").arg(path)
                : written.error.isEmpty() ? tr("%1 was not written.").arg(m_name)
                                          : QString());
            if (!written.error.isEmpty()) Q_EMIT m_hub.noticed(written.error, false);
        });
}

void PictureWriter::copy(GraphDrawing drawing)
{
    if (!begin(tr("the picture"))) return;
    inBackground(
        this, [drawing = std::move(drawing), progress = m_progress] { return drawing.image(progress.get()); },
        [this, progress = m_progress](QImage &&image) {
            const bool wasLong = LongWork::of(m_hub).isLong();
            if (!image.isNull()) QApplication::clipboard()->setImage(image);
            end(wasLong && !image.isNull() ? tr("The picture is on the clipboard.") : QString());
            if (image.isNull() && !progress->isCalledOff)
                Q_EMIT m_hub.noticed(tr("The picture is too large for the clipboard. Export it as SVG instead."), false);
        });
}

} // namespace app
