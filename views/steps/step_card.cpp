#include "views/steps/step_card.h"

#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/common/panels.h"
#include "views/common/source_place.h"
#include "views/common/text.h"
#include "views/graph/graph_canvas.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace views {
namespace {

// The arrow between the halves.
class Arrow : public QWidget {
public:
    Arrow() { setFixedWidth(Theme::current().px(28)); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const Theme &theme = Theme::current();
        // Half on raised, half on panel, as the two pictures beside it.
        painter.fillRect(QRect(0, 0, width() / 2, height()), theme.color(Color::Raised));
        painter.fillRect(QRect(width() / 2, 0, width() - width() / 2, height()), theme.color(Color::Panel));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.color(Color::Accent), 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const double y = height() / 2.0, x = width() / 2.0;
        painter.drawLine(QPointF(x - 8, y), QPointF(x + 8, y));
        const QPointF head[] = {{x + 3, y - 5}, {x + 8, y}, {x + 3, y + 5}};
        painter.drawPolyline(head, 3);
    }
};

// The letter of the step's phase.
class Badge : public QWidget {
public:
    explicit Badge(const StepCardContent &content) : m_content(content)
    {
        const int size = Theme::current().px(16);
        setFixedSize(size, size);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        paintPhaseBadge(painter, rect(), Theme::current().phase(views::text(m_content.step.phase)));
    }

private:
    const StepCardContent &m_content;
};

QWidget *half(const QString &title, GraphCanvas *canvas, const char *surface)
{
    auto *box = new QWidget;
    setSurface(box, surface);
    auto *column = new QVBoxLayout(box);
    const Theme &theme = Theme::current();
    column->setContentsMargins(0, theme.px(6), 0, 0);
    column->setSpacing(0);
    auto *label = new TextLabel(title, FontRole::Overline, "secondary");
    label->setContentsMargins(theme.px(12), 0, 0, 0);
    column->addWidget(label);
    column->addWidget(canvas, 1);
    return box;
}

QString paragraph(const QString &title, const QString &text)
{
    const Theme &theme = Theme::current();
    return QStringLiteral("<p style='margin:0 0 12px 0'><b>%1</b><br><span style='color:%2'>%3</span></p>")
        .arg(title, theme.color(Color::TextSecondary).name(), text);
}

QString mono(const std::string &text) { return QStringLiteral("<code>%1</code>").arg(views::text(text).toHtmlEscaped()); }

} // namespace

StepCard::StepCard(QWidget *parent) : QWidget(parent)
{
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(theme.px(12), theme.px(12), theme.px(12), theme.px(12));
    m_card = new QWidget;
    outer->addWidget(m_card, 1);
    m_empty = new EmptyState;
    outer->addWidget(m_empty, 1);
    m_empty->hide();

    auto *column = new QVBoxLayout(m_card);
    column->setContentsMargins(1, 1, 1, 1); // the border is painted around
    column->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(theme.px(12), theme.px(6), theme.px(6), theme.px(6));
    head->setSpacing(theme.px(8));
    m_badge = new Badge(m_content);
    m_title = new TextLabel(tr("What this step changed"), FontRole::BodyStrong);
    m_sentence = new ElidedLabel({}, FontRole::Cell, "secondary");
    m_switch = new SegmentedSwitch;
    m_switch->setCompact(true);
    m_switch->addChoice(QStringLiteral("picture"), tr("Picture"));
    m_switch->addChoice(QStringLiteral("text"), tr("Text"));
    head->addWidget(m_badge);
    head->addWidget(m_title);
    head->addWidget(m_sentence, 1);
    head->addWidget(m_switch);
    column->addLayout(head);
    column->addWidget(new Hairline);

    m_pages = new QStackedWidget;
    auto *page = new QWidget;
    auto *pageColumn = new QVBoxLayout(page);
    pageColumn->setContentsMargins(0, 0, 0, 0);
    m_tooLarge = new EmptyState;
    pageColumn->addWidget(m_tooLarge, 1);
    m_tooLarge->show(QStringLiteral("graph"), tr("This step changed too many nodes to draw them here. The graph above marks them."));
    m_tooLarge->hide();
    m_pictures = new QWidget;
    pageColumn->addWidget(m_pictures, 1);
    auto *row = new QHBoxLayout(m_pictures);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_before = new GraphCanvas;
    m_after = new GraphCanvas;
    m_before->setPlain(Color::Raised);
    m_after->setPlain(Color::Panel);
    m_before->setAccessibleName(tr("Before this step"));
    m_after->setAccessibleName(tr("After this step"));
    row->addWidget(half(tr("Before"), m_before, "raised"), 1);
    row->addWidget(new Arrow);
    row->addWidget(half(tr("After"), m_after, "panel"), 1);
    m_pages->addWidget(page);
    m_text = new QTextBrowser;
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    connect(m_text, &QTextBrowser::anchorClicked, this, &StepCard::sourceClicked);
    m_text->document()->setDocumentMargin(theme.px(12));
    m_pages->addWidget(m_text);
    column->addWidget(m_pages, 1);

    connect(m_switch, &SegmentedSwitch::currentChanged, this,
            [this](const QString &id) { m_pages->setCurrentIndex(id == QStringLiteral("text") ? 1 : 0); });
    connect(m_before, &GraphCanvas::nodeClicked, this, [this](SceneKey key) { Q_EMIT nodeClicked(key, true); });
    connect(m_after, &GraphCanvas::nodeClicked, this, [this](SceneKey key) { Q_EMIT nodeClicked(key, false); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        m_text->setHtml(explanation(m_content));
        update();
    });
    m_switch->setCurrent(QStringLiteral("picture"));
    setEmpty(tr("Choose a step: the part of the graph that it replaced is shown here."));
}

void StepCard::setContent(StepCardContent content)
{
    m_content = std::move(content);
    m_empty->hide();
    m_card->show();
    m_badge->update();
    m_sentence->setText(sentence(m_content));
    constexpr std::size_t kMostDrawn = 200; // nodes: in so small a picture more would be dust
    const bool drawn = m_content.region.before.nodes.size() + m_content.region.after.nodes.size() <= kMostDrawn;
    m_tooLarge->setVisible(!drawn);
    m_pictures->setVisible(drawn);
    m_before->setScene(drawn ? m_content.region.before : Scene(), GraphCanvas::Change::Fresh);
    // What both sides read stands in the same order.
    m_after->setSceneLike(drawn ? m_content.region.after : Scene(), m_before->picture().memory);
    m_text->setHtml(explanation(m_content));
    update();
}

void StepCard::setEmpty(const QString &sentence)
{
    m_content = {};
    m_card->hide();
    m_empty->show(QStringLiteral("rewrites"), sentence);
    update();
}

void StepCard::paintEvent(QPaintEvent *)
{
    if (m_card->isHidden()) return;
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(Color::Border), 1));
    painter.setBrush(theme.color(Color::Raised));
    painter.drawRoundedRect(QRectF(m_card->geometry()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

QString StepCard::sentence(const StepCardContent &content)
{
    const StepRegion &region = content.region;
    QStringList parts;
    if (region.in == 0 && region.out == 0) parts << tr("only connections changed");
    else parts << tr("%1 in, %2 out").arg(formats::counted(region.in, formats::Thing::Apply)).arg(region.out);
    const auto bytes = static_cast<double>(content.bytesMore.value_or(0));
    if (bytes < 0) parts << tr("%1 less").arg(formats::bytes(-bytes));
    else if (bytes > 0) parts << tr("%1 more").arg(formats::bytes(bytes));
    return parts.join(QStringLiteral(" · "));
}

QString StepCard::explanation(const StepCardContent &content)
{
    const profiler::StepInfo &step = content.step;
    if (step.rewrite.empty()) return {};
    auto escaped = [](const std::string &text) { return views::text(text).toHtmlEscaped(); };
    QString html = QStringLiteral("<p style='margin:0 0 12px 0'>%1 · %2 · %3</p>")
                       .arg(mono(step.rewrite), escaped(step.phase), formats::timeNs(step.ns).toHtmlEscaped());
    if (!step.reason.empty()) html += paragraph(tr("Why it could fire here"), escaped(step.reason));
    if (!content.rewrite) {
        html += paragraph(tr("Why"), tr("The catalogue of this session does not describe this rewrite."));
        return html;
    }
    const profiler::RewriteInfo &rewrite = *content.rewrite;
    if (!rewrite.why.empty()) html += paragraph(tr("Why"), escaped(rewrite.why));
    if (!rewrite.hurts.empty()) html += paragraph(tr("When it can hurt"), escaped(rewrite.hurts));
    if (!rewrite.exampleBefore.empty())
        html += paragraph(tr("Example"), mono(rewrite.exampleBefore) + QStringLiteral(" → ") + mono(rewrite.exampleAfter));
    if (!rewrite.tags.empty()) html += paragraph(tr("Tags"), mono(rewrite.tags));
    if (!rewrite.code.file.empty()) {
        QString place = mono(rewrite.code.file + ":" + std::to_string(rewrite.code.line));
        if (const QUrl link = linkToSource(QString::fromStdString(rewrite.code.file), rewrite.code.line); !link.isEmpty())
            place = QStringLiteral("<a href='%1'>%2</a>").arg(link.toString(QUrl::FullyEncoded), place);
        html += paragraph(tr("Code"), place);
    }
    return html;
}

} // namespace views
