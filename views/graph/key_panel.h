#pragma once

#include "views/common/selection_hub.h"
#include "views/graph/colour_key.h"

#include <QWidget>

namespace views {

/// The room that the key takes, and the key there: what lines and colours of the graph mean. Any thread may paint it.
[[nodiscard]] QSizeF keySize(const Theme &theme, const ColourScale &scale, const ColourKey &key = {});
void paintKey(QPainter &painter, const QRectF &area, const Theme &theme, const ColourScale &scale, const ColourKey &key = {});

/// What lines, marks and colours of the graph mean; the colours are those that the graph shows now.
class KeyPanel : public QWidget {
    Q_OBJECT
public:
    explicit KeyPanel(SelectionHub &hub, QWidget *parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();
    SelectionHub &m_hub;
};

} // namespace views
