#include "views/profile/summary_view.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/common/node_title.h"
#include "views/common/palette.h"
#include "views/common/tips.h"
#include "views/common/view_words.h"
#include "views/profile/summary_content.h"
#include "views/profile/what_if_panel.h"
#include "views/session/function_name.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QScrollBar>
#include <QVBoxLayout>

#include <cmath>

namespace views {
namespace {

constexpr std::size_t kAdviceAtOnce = 3; // pieces of advice that are shown at once

/// The parts of the time side by side.
class PartsBar : public QWidget {
public:
    explicit PartsBar(std::vector<SummaryPart> parts) : m_parts(std::move(parts)) { setFixedHeight(Theme::current().px(20)); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::current();
        QPainter painter(this);
        painter.fillRect(rect(), theme.color(Color::Sunken));
        double x = 0;
        for (const SummaryPart &part : m_parts) {
            if (part.share <= 0) continue;
            const double width = std::max(2.0, part.share * this->width() - 1);
            const QRectF cell(x, 0, std::min(width, this->width() - x), height());
            if (part.hatched) fillHatched(painter, cell, theme.color(part.color));
            else painter.fillRect(cell, theme.color(part.color));
            x += width + 1;
        }
    }

private:
    std::vector<SummaryPart> m_parts;
};

/// The 16 px square with a part's letter.
class LetterSquare : public QWidget {
public:
    LetterSquare(QChar letter, Color color) : m_letter(letter), m_color(color)
    {
        setFixedSize(Theme::current().px(16), Theme::current().px(16));
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        paintPhaseBadge(painter, rect(), {QString(), m_letter, Theme::current().color(m_color), Pattern::Plain});
    }

private:
    QChar m_letter;
    Color m_color;
};

/// A number that is read from afar: as large as there is room for.
class BigFigure : public QWidget {
public:
    explicit BigFigure(QString text) : m_text(std::move(text))
    {
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        setAccessibleName(m_text);
    }
    QSize sizeHint() const override
    {
        const QFontMetricsF metrics(Theme::current().font(FontRole::Display));
        return QSizeF(std::ceil(metrics.horizontalAdvance(m_text)), metrics.height()).toSize();
    }
    QSize minimumSizeHint() const override
    {
        return {static_cast<int>(std::ceil(QFontMetricsF(fontFor(0)).horizontalAdvance(m_text))), sizeHint().height()};
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setFont(fontFor(width()));
        painter.setPen(Theme::current().color(Color::TextPrimary));
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignBottom, m_text);
    }

private:
    QFont fontFor(double room) const
    {
        for (const FontRole role : {FontRole::Display, FontRole::Heading})
            if (QFontMetricsF(Theme::current().font(role)).horizontalAdvance(m_text) <= room) return Theme::current().font(role);
        return Theme::current().font(FontRole::Title);
    }
    QString m_text;
};

TextLabel *wrapped(const QString &text, FontRole role, const char *ink)
{
    auto *label = new TextLabel(text, role, ink);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

SummaryView::SummaryView(SelectionHub &hub, QWidget *parent) : QScrollArea(parent), m_hub(hub), m_page(nullptr)
{
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setSurface(this, "panel");
    setSummary({});
}

void SummaryView::obey(const Request &request)
{
    const auto *wanted = std::get_if<ShowPicture>(&request);
    auto *whatIf = wanted && wanted->name == QLatin1String("threads") ? findChild<WhatIfPanel *>() : nullptr;
    if (whatIf) whatIf->choose({.threads = wanted->value.toInt()});
}

void SummaryView::feed(const ViewFeed &feed)
{
    if (!feed.session || (!feed.hasNewFunction() && !feed.hasNew(FeedPart::Run))) return;
    const auto &rooms = feed.session->derived<Headrooms>().functions;
    const auto room = feed.function ? rooms.find(feed.function->id) : rooms.end();
    WhatIfPanel *whatIf = nullptr;
    int place = 0;
    if (room != rooms.end() && !room->second.applies.empty()) {
        whatIf = new WhatIfPanel(m_hub, feed.session, room->second, feed.canRun);
        // What was measured meanwhile stands beside what was chosen for it.
        const WhatIfPanel *before = findChild<WhatIfPanel *>();
        if (before && before->function() == feed.function->id) {
            whatIf->choose(before->change());
            place = verticalScrollBar()->value();
        }
    }
    setSummary(summaryOf(*feed.session, feed.function ? feed.function->id : profiler::kNoFunction, feed.canRun), whatIf);
    if (place > 0) {
        m_page->adjustSize();
        verticalScrollBar()->setValue(place);
    }
    setSubtitle(this, feed.function ? functionName(*feed.function) : QString());
}

void SummaryView::setSummary(const ProfileSummary &summary, QWidget *whatIf)
{
    const Theme &theme = Theme::current();
    m_partTimes.clear();
    m_attempts.clear();
    m_page = new QWidget;
    m_page->setMinimumWidth(1); // as wide as the view, whatever its longest word asks for
    setSurface(m_page, "panel");
    auto *outer = new QVBoxLayout(m_page);
    outer->setContentsMargins(0, theme.px(10), 0, theme.px(12));
    outer->setSpacing(theme.px(12));
    auto addBlock = [&](QLayout *layout) {
        layout->setContentsMargins(theme.px(12), 0, theme.px(12), 0);
        outer->addLayout(static_cast<QBoxLayout *>(layout));
    };

    auto *head = new QVBoxLayout;
    head->setSpacing(theme.px(8));
    auto *big = new QHBoxLayout;
    big->setSpacing(theme.px(8));
    auto *total = new BigFigure(formats::time(summary.seconds));
    const QString said = tr("in thunks, %1").arg(formats::counted(summary.calls, formats::Thing::Call));
    m_beside = new ElidedLabel(said, FontRole::Body, "secondary");
    m_beside->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_beside->setContentsMargins(0, 0, 0, theme.px(5));
    auto *below = new TextLabel(said, FontRole::Body, "secondary");
    below->setWordWrap(true);
    m_below = below;
    m_total = total;
    big->addWidget(total, 0, Qt::AlignBottom);
    big->addWidget(m_beside, 1, Qt::AlignBottom);
    head->addLayout(big);
    head->addWidget(m_below);
    head->addWidget(new PartsBar(summary.parts));
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(theme.px(6));
    grid->setVerticalSpacing(theme.px(3));
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const SummaryPart &part : summary.parts) {
        grid->addWidget(new LetterSquare(part.letter, part.color), row, 0);
        grid->addWidget(new ElidedLabel(part.label), row, 1);
        auto *time = new TextLabel(formats::timeLike(part.seconds, summary.seconds), FontRole::Body, "secondary");
        m_partTimes.push_back(time);
        grid->addWidget(time, row, 2, Qt::AlignRight);
        auto *share = new TextLabel(formats::percent(part.share), FontRole::BodyStrong);
        share->setAlignment(Qt::AlignRight);
        share->setMinimumWidth(theme.px(52));
        grid->addWidget(share, row, 3, Qt::AlignRight);
        ++row;
    }
    head->addLayout(grid);
    if (!summary.whole.isEmpty()) head->addWidget(wrapped(summary.whole, FontRole::Caption, "muted"));
    addBlock(head);

    if (QLayout *advice = adviceOf(summary)) {
        outer->addWidget(new Hairline);
        addBlock(advice);
    }
    if (!summary.quality.isEmpty()) {
        outer->addWidget(new Hairline);
        auto *quality = new QVBoxLayout;
        quality->setSpacing(theme.px(6));
        quality->addWidget(wrapped(tr("How good are these times?"), FontRole::BodyStrong, nullptr));
        quality->addWidget(wrapped(summary.quality, FontRole::Body, "secondary"));
        addBlock(quality);
    }
    if (whatIf) {
        outer->addWidget(new Hairline);
        auto *block = new QVBoxLayout;
        block->addWidget(whatIf);
        addBlock(block);
    }
    if (whatIf) {
        auto *worth = linkButton(tr("How much does each rewrite change?"));
        connect(worth, &QToolButton::clicked, this, [this] { m_hub.showIn(QStringLiteral("worth")); });
        auto *block = new QVBoxLayout;
        block->addWidget(worth, 0, Qt::AlignLeft);
        addBlock(block);
    }
    outer->addStretch();
    setWidget(m_page);
    giveWay();
}

QLayout *SummaryView::adviceOf(const ProfileSummary &summary)
{
    if (summary.advice.empty()) return nullptr;
    const Theme &theme = Theme::current();
    auto *rows = new QVBoxLayout;
    rows->setSpacing(theme.px(10));
    auto *title = new QHBoxLayout;
    title->setSpacing(theme.px(8));
    title->addWidget(new TextLabel(tr("Advice"), FontRole::BodyStrong));
    title->addWidget(new Chip(formats::count(static_cast<std::int64_t>(summary.advice.size())), Color::TextSecondary, Color::Sunken));
    title->addStretch();
    rows->addLayout(title);
    auto *rest = new QWidget;
    rest->setVisible(m_showsAllAdvice);
    auto *restRows = new QVBoxLayout(rest);
    restRows->setContentsMargins(0, 0, 0, 0);
    restRows->setSpacing(theme.px(10));
    for (std::size_t i = 0; i < summary.advice.size(); ++i) (i < kAdviceAtOnce ? rows : restRows)->addLayout(cardOf(summary.advice[i]));
    rows->addWidget(rest);
    if (summary.advice.size() <= kAdviceAtOnce) return rows;
    auto *more = linkButton({});
    more->setObjectName(QStringLiteral("allAdvice"));
    const auto say = [this, more, rest, all = summary.advice.size()] {
        rest->setVisible(m_showsAllAdvice);
        more->setText(m_showsAllAdvice ? tr("Show the first %1 only").arg(kAdviceAtOnce) : tr("Show all %1").arg(all));
    };
    connect(more, &QToolButton::clicked, this, [this, say] {
        m_showsAllAdvice = !m_showsAllAdvice;
        say();
    });
    say();
    rows->addWidget(more, 0, Qt::AlignLeft);
    return rows;
}

QLayout *SummaryView::cardOf(const AdviceCard &card)
{
    const Theme &theme = Theme::current();
    auto *line = new QHBoxLayout;
    line->setSpacing(theme.px(8));
    auto *icon = new QLabel;
    icon->setPixmap(iconPixmap(card.icon, theme.px(16), theme.color(card.ink), devicePixelRatioF()));
    line->addWidget(icon, 0, Qt::AlignTop);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(theme.px(2));
    for (int i = 0; const QString &words : {card.title, card.gain, card.text}) {
        const bool isTitle = i++ == 0;
        if (words.isEmpty()) continue;
        auto *label = wrapped(breakable(words), isTitle ? FontRole::BodyStrong : FontRole::Caption, isTitle ? nullptr : "secondary");
        label->setTextInteractionFlags(Qt::NoTextInteraction);
        texts->addWidget(label);
    }
    auto *links = new QHBoxLayout;
    links->setSpacing(theme.px(8));
    if (card.place.isValid()) {
        auto *show = linkButton(tr("Line %1").arg(card.place.line));
        show->setToolTip(tipText(QStringLiteral("%1:%2").arg(card.place.file).arg(card.place.line)));
        connect(show, &QToolButton::clicked, this, [this, place = card.place] { m_hub.showSource(place); });
        links->addWidget(show);
    }
    if (card.apply >= 0) {
        auto *show = linkButton(tr("Show evidence"));
        connect(show, &QToolButton::clicked, this,
                [this, apply = card.apply, function = card.function] { m_hub.selectApply(apply, function); });
        links->addWidget(show);
    }
    links->addStretch();
    texts->addLayout(links);
    if (!card.setting.isEmpty()) {
        auto *attempt = new QPushButton;
        m_attempts.push_back(attempt);
        attempt->setProperty("compact", true);
        attempt->setEnabled(card.missing.isEmpty());
        attempt->setToolTip(card.missing.isEmpty() ? card.setting : card.missing);
        connect(attempt, &QPushButton::clicked, this, [this, setting = card.setting] { m_hub.request(TryFlag{setting}); });
        texts->addWidget(attempt, 0, Qt::AlignLeft);
    }
    line->addLayout(texts, 1);
    return line;
}

// In a narrow place the share says enough; the time is in the tables.
void SummaryView::giveWay()
{
    const bool narrow = width() < Theme::current().px(240);
    for (TextLabel *time : m_partTimes) time->setVisible(!narrow);
    if (!m_total) return;
    const int room = viewport()->width() - Theme::current().px(12 + 8 + 12) - m_total->sizeHint().width();
    const bool fits = m_beside->sizeHint().width() <= room;
    m_beside->setVisible(fits);
    m_below->setVisible(!fits);
    for (QPushButton *attempt : m_attempts) attempt->setText(narrow ? tr("Try it") : tr("Run with it and compare"));
}

void SummaryView::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    giveWay();
}

} // namespace views
