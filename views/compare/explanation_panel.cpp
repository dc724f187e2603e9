#include "views/compare/explanation_panel.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/text.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr std::size_t kMostParts = 8;
constexpr int kRow = 24, kName = 112, kFigure = 84; // at 100 %

} // namespace

Waterfall::Waterfall(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("What explains the difference; the table “Classes” has its numbers"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void Waterfall::setExplanation(const profiler::Explanation &explanation)
{
    m_rows.clear();
    m_most = std::max(explanation.a, explanation.b);
    if (!explanation.parts.empty()) {
        m_rows.push_back({tr("A, in applies"), 0, explanation.a, formats::timeNs(explanation.a), Color::SideA});
        double at = explanation.a, rest = 0;
        for (std::size_t i = 0; i < explanation.parts.size(); ++i) {
            const double delta = explanation.parts[i].deltaNs();
            if (i >= kMostParts) {
                rest += delta;
                continue;
            }
            m_rows.push_back({views::text(explanation.parts[i].name), at, at + delta, formats::signedTimeNs(delta),
                              delta > 0   ? Color::Worse
                              : delta < 0 ? Color::Better
                                          : Color::Same});
            at += delta;
            m_most = std::max(m_most, at);
        }
        if (explanation.parts.size() > kMostParts)
            m_rows.push_back({tr("the rest"), at, at + rest, formats::signedTimeNs(rest), rest > 0 ? Color::Worse : Color::Better});
        m_rows.push_back({tr("B, in applies"), 0, explanation.b, formats::timeNs(explanation.b), Color::SideB});
    }
    updateGeometry();
    update();
}

QSize Waterfall::sizeHint() const { return {Theme::current().px(220), static_cast<int>(m_rows.size()) * Theme::current().px(kRow)}; }

void Waterfall::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const double row = theme.px(kRow), bar = theme.px(12);
    const double left = theme.px(kName), room = width() - left - theme.px(kFigure);
    if (room < theme.px(20) || m_most <= 0) return;
    const auto x = [&](double ns) { return left + ns / m_most * room; };
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row &one = m_rows[i];
        const double y = static_cast<double>(i) * row;
        const bool whole = i == 0 || i + 1 == m_rows.size();
        painter.setFont(theme.font(whole ? FontRole::CellStrong : FontRole::Cell));
        painter.setPen(theme.color(Color::TextPrimary));
        painter.drawText(QRectF(0, y, left - theme.px(8), row), Qt::AlignVCenter,
                         QFontMetricsF(painter.font()).elidedText(one.name, Qt::ElideRight, left - theme.px(8)));
        const double from = std::min(one.from, one.to), to = std::max(one.from, one.to);
        painter.fillRect(QRectF(x(from), y + (row - bar) / 2, std::max(1.0, x(to) - x(from)), bar), theme.color(one.ink));
        if (i + 1 < m_rows.size()) painter.fillRect(QRectF(std::round(x(one.to)), y + row / 2, 1, row), theme.color(Color::BorderStrong));
        painter.setPen(theme.color(one.ink == Color::Same ? Color::TextMuted : one.ink));
        drawTabular(painter, QRectF(width() - theme.px(kFigure), y, theme.px(kFigure), row), Qt::AlignRight, one.figure);
    }
}

ExplanationPanel::ExplanationPanel(QWidget *parent) : QScrollArea(parent)
{
    const Theme &theme = Theme::current();
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *inside = new QWidget;
    setSurface(inside, "panel");
    auto *page = new QVBoxLayout(inside);
    page->setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(12));
    page->setSpacing(theme.px(8));
    m_title = new TextLabel(QString(), FontRole::BodyStrong);
    m_title->setWordWrap(true);
    m_waterfall = new Waterfall;
    page->addWidget(m_title);
    page->addWidget(m_waterfall);
    page->addSpacing(theme.px(8));
    page->addWidget(new TextLabel(tr("Are they comparable?"), FontRole::BodyStrong));
    m_checks = new QVBoxLayout;
    m_checks->setSpacing(theme.px(6));
    page->addLayout(m_checks);
    page->addSpacing(theme.px(8));
    page->addWidget(new TextLabel(tr("How it was judged"), FontRole::BodyStrong));
    m_reading = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_reading->setWordWrap(true);
    m_reading->setTextInteractionFlags(Qt::TextSelectableByMouse);
    page->addWidget(m_reading);
    page->addStretch(1);
    setWidget(inside);
}

void ExplanationPanel::setRows(const CompareRows &rows)
{
    const Theme &theme = Theme::current();
    m_title->setText(rows.explanation.parts.empty() ? tr("No function of one is in the other")
                                                    : tr("What explains the difference of %1").arg(views::text(rows.explanation.function)));
    m_waterfall->setExplanation(rows.explanation);
    m_reading->setText(rows.reading());
    clearLayout(m_checks);
    for (const CompareCheck &check : rows.checks()) {
        auto *line = new QHBoxLayout;
        line->setSpacing(theme.px(8));
        auto *icon = new QLabel;
        icon->setPixmap(iconPixmap(check.good ? QStringLiteral("check") : QStringLiteral("warning"), theme.px(16),
                                   theme.color(check.good ? Color::Ok : Color::Warn), devicePixelRatioF()));
        auto *text = new TextLabel(check.sentence, FontRole::Cell, "secondary");
        text->setWordWrap(true);
        line->addWidget(icon, 0, Qt::AlignTop);
        line->addWidget(text, 1);
        m_checks->addLayout(line);
    }
}

} // namespace views
