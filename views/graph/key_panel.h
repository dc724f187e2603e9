#pragma once

#include "views/common/scroll_picture.h"
#include "views/common/selection_hub.h"
#include "views/graph/colour_key.h"

namespace views {

/// The room that the key takes, and the key there: what lines and colours of the graph mean. Any thread may paint it.
[[nodiscard]] QSizeF keySize(const Theme &theme, const ColourScale &scale, const ColourKey &key = {});
void paintKey(QPainter &painter, const QRectF &area, const Theme &theme, const ColourScale &scale, const ColourKey &key = {});

/// What lines, marks and colours of the graph mean; the colours are those that the graph shows now.
class KeyPanel : public ScrollPicture {
    Q_OBJECT
public:
    explicit KeyPanel(SelectionHub &hub, QWidget *parent = nullptr);
    QSize sizeHint() const override;
    /// In a low window it scrolls: what stands above it has room, too.
    QSize minimumSizeHint() const override;

protected:
    void layOut() override;
    QString tipAt(const QPointF &) const override { return {}; }
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();
    SelectionHub &m_hub;
};

} // namespace views
