#pragma once

#include "views/common/selection_hub.h"
#include "views/common/theme.h"

#include <QAbstractButton>

namespace views {

/// A row of the inspector that can be clicked: hand drawn so that hundreds of them cost nothing.
class InspectorRow : public QAbstractButton {
    Q_OBJECT
public:
    /// A source line: number in link colour, mono text. `highest` is the largest number of the rows that stand together.
    static InspectorRow *sourceLine(const SourceRef &source, int highest, const QString &text, bool estimated, const QString &file = {});
    /// A step of the birth certificate: phase badge, rewrite, reason, "step 28". `first` and `last` bound the thread.
    static InspectorRow *birth(const QString &phase, const QString &rewrite, const QString &reason, const QString &step, bool first,
                               bool last);
    /// An input or output: slot, name, flag in red, note at the right.
    static InspectorRow *port(const QString &slot, const QString &name, const QString &flag, const QString &note);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    enum class Kind { Source, Birth, Port };
    explicit InspectorRow(Kind kind);
    void paintBirth(QPainter &painter, const QRectF &area) const;
    void paintPort(QPainter &painter, const QRectF &area) const;

    Kind m_kind;
    QString m_widestLead; ///< of a source line, as wide as that of any row beside it
    QString m_lead;
    QString m_main;
    QString m_second;
    QString m_note;
    bool m_first = false;
    bool m_last = false;
    bool m_estimated = false;
};

} // namespace views
