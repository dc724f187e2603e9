// Widths of texts in one font. Graphs of thousands of nodes say few different things, and shaping a text is what takes longest of
// laying them out: each is measured once.
#pragma once

#include <QFontMetricsF>
#include <QHash>

namespace views {

class TextRuler {
public:
    explicit TextRuler(const QFont &font) : m_metrics(font) {}

    double width(const QString &text)
    {
        const auto known = m_widths.constFind(text);
        return known != m_widths.cend() ? *known : *m_widths.insert(text, m_metrics.horizontalAdvance(text));
    }
    /// Digits of the theme's fonts are equally wide.
    double width(int number) { return width(QString(QString::number(number).size(), u'0')); }
    /// With its middle left out where it is wider than the room.
    QString elided(const QString &text, double room)
    {
        if (width(text) <= room) return text;
        const auto known = m_elided.constFind({text, room});
        return known != m_elided.cend() ? *known : *m_elided.insert({text, room}, m_metrics.elidedText(text, Qt::ElideMiddle, room));
    }
    double height() const { return m_metrics.height(); }

private:
    QFontMetricsF m_metrics;
    QHash<QString, double> m_widths;
    QHash<QPair<QString, double>, QString> m_elided;
};

} // namespace views
