#include "views/inspector/inspector_view.h"

#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/flow_layout.h"
#include "views/common/icons.h"
#include "views/common/node_notes.h"
#include "views/common/node_title.h"
#include "views/common/panels.h"
#include "views/common/source_place.h"
#include "views/common/tips.h"
#include "views/inspector/figure_row.h"
#include "views/inspector/inspector_content.h"
#include "views/inspector/inspector_facts.h"
#include "views/inspector/inspector_rows.h"
#include "views/inspector/why_not_dialog.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QScrollArea>
#include <QSet>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace views {

void InspectorContent::Births::add(const Birth &birth)
{
    if (!rows.empty() && rows.back().rewrite == birth.rewrite && rows.back().phase == birth.phase) ++rows.back().times;
    else rows.push_back(birth);
}

int InspectorContent::Source::highestLine() const
{
    int highest = 0;
    for (const auto *all : {&lines, &callers})
        for (const Line &line : *all) highest = std::max(highest, line.source.line);
    return highest;
}

bool InspectorContent::Source::hasSeveralFiles() const
{
    QSet<QString> files;
    for (const auto *all : {&lines, &callers})
        for (const Line &line : *all) files.insert(line.source.file);
    return files.size() > 1;
}

InspectorView::InspectorView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_header = new PanelHeader(tr("Inspector"));
    auto *link = iconButton(QStringLiteral("link"), tr("Copy link to this view"));
    auto *pin = iconButton(QStringLiteral("pin"), tr("Keep this content while the selection moves on"));
    pin->setCheckable(true);
    link->setObjectName(QStringLiteral("link"));
    pin->setObjectName(QStringLiteral("pin"));
    m_header->addWidget(link);
    m_header->addWidget(pin);
    connect(link, &QToolButton::clicked, this, [this] { m_hub.request(Command::CopyLink); });
    connect(pin, &QToolButton::toggled, this, [this](bool pinned) {
        m_pinned = pinned;
        if (!pinned) showFeed();
    });
    outer->addWidget(m_header);
    outer->addWidget(new Hairline);
    m_scroll = new QScrollArea;
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    outer->addWidget(m_scroll, 1);
    m_empty = new EmptyState;
    outer->addWidget(m_empty, 1);
    m_footer = new QWidget;
    setSurface(m_footer, "panel");
    auto *foot = new QVBoxLayout(m_footer);
    foot->setContentsMargins(0, 0, 0, 0);
    foot->setSpacing(0);
    foot->addWidget(new Hairline);
    auto *buttons = new FlowLayout(nullptr, theme.px(8));
    buttons->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    m_showIn = new MenuButton(tr("Show in"));
    m_code = new QPushButton(tr("Code"));
    m_whyNot = new QPushButton(tr("Why not?"));
    for (QPushButton *button : {static_cast<QPushButton *>(m_showIn), m_code, m_whyNot}) {
        button->setProperty("compact", true);
        buttons->addWidget(button);
    }
    m_action = new QPushButton;
    m_action->setProperty("compact", true);
    m_action->hide();
    buttons->addWidget(m_action);
    foot->addLayout(buttons);
    connect(m_action, &QPushButton::clicked, this, [this] { m_hub.request(m_content.action.request); });
    outer->addWidget(m_footer);
    m_showIn->setMenu(showInMenu(m_hub, m_showIn));
    connect(m_code, &QPushButton::clicked, this, [this] { m_hub.showIn(QStringLiteral("code")); });
    connect(m_whyNot, &QPushButton::clicked, this, &InspectorView::showWhyNot);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { setContent(m_content); });
    connect(&NodeNotes::of(m_hub), &NodeNotes::changed, this, [this] { feed(m_feed); });
    setContent(inspect({}));
}

void InspectorView::feed(const ViewFeed &feed)
{
    m_feed = feed;
    if (!m_pinned) showFeed();
}

void InspectorView::showFeed()
{
    m_shown = m_feed;
    InspectorContent content = inspect(m_shown);
    const NodeRef node = m_shown.selection.node;
    const QString note = m_shown.graph ? NodeNotes::of(m_hub).note(profiler::raw(m_shown.graph->info.id), node) : QString();
    if (node.isValid() && !note.isEmpty()) content.paragraphs.insert(content.paragraphs.begin(), {tr("Note"), note});
    setContent(content);
}

void InspectorView::showWhyNot()
{
    const auto apply = m_shown.links ? m_shown.links->applyOf(m_shown.selection.node) : std::nullopt;
    if (apply) (new WhyNotDialog(whyNot(m_shown.links->graph(), *apply), this))->show();
}

void InspectorView::setContent(const InspectorContent &content)
{
    m_content = content;
    m_header->setTitle(content.heading.isEmpty() ? tr("Inspector") : content.heading);
    m_header->setSubtitle(content.subject);
    const bool empty = !content.emptySentence.isEmpty();
    m_scroll->setVisible(!empty);
    m_footer->setVisible(!empty);
    m_empty->setVisible(empty);
    if (empty) {
        m_empty->show(QStringLiteral("search"), content.emptySentence);
        return;
    }
    m_code->setEnabled(content.hasCode);
    m_code->setToolTip(content.hasCode ? QString() : content.noCodeReason);
    m_whyNot->setEnabled(content.hasWhyNot);
    m_whyNot->setToolTip(content.hasWhyNot ? tr("Which rewrites looked at this node and why they declined")
                                           : tr("No rewrite declined at this node"));
    m_action->setVisible(!content.action.text.isEmpty());
    m_action->setText(content.action.text);
    m_action->setEnabled(content.action.isPossible());
    m_action->setToolTip(content.action.isPossible() ? tr("Runs the script so, and compares") : content.action.missing);
    // Code and Why not belong to a node: of a rewrite they would only be in the way.
    m_code->setVisible(content.action.text.isEmpty());
    m_whyNot->setVisible(content.action.text.isEmpty());
    m_scroll->setWidget(build());
}

QWidget *InspectorView::build()
{
    const Theme &theme = Theme::current();
    auto *widget = new QWidget;
    widget->setMinimumWidth(1); // as wide as the dock, whatever its longest word asks for
    setSurface(widget, "panel");
    auto *page = new QVBoxLayout(widget);
    page->setContentsMargins(0, 0, 0, theme.px(12));
    page->setSpacing(0);
    addTitle(page);
    addFigures(page);
    addValues(page);
    addTimes(page);
    addTips(page);
    addParagraphs(page);
    addBuffers(page);
    addBirths(page);
    addLines(page);
    addPorts(page, tr("Inputs"), m_content.inputs);
    addPorts(page, tr("Outputs"), m_content.outputs);
    addPorts(page, tr("Read by"), m_content.readers);
    page->addStretch();
    return widget;
}

void InspectorView::addParagraphs(QVBoxLayout *page)
{
    const Theme &theme = Theme::current();
    for (const InspectorContent::Paragraph &paragraph : m_content.paragraphs) {
        addSection(page, paragraph.title);
        auto *text = new TextLabel(paragraph.text, paragraph.mono ? FontRole::Mono : FontRole::Body, "secondary");
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        if (!paragraph.link.isEmpty()) {
            const QString shown = paragraph.text.toHtmlEscaped().replace(u'/', QStringLiteral("/\u200B"));
            text->setTextFormat(Qt::RichText);
            text->setText(QStringLiteral("<a href='%1'>%2</a>").arg(paragraph.link.toString(QUrl::FullyEncoded), shown));
            text->setTextInteractionFlags(Qt::TextBrowserInteraction);
            text->setToolTip(tr("Open it in the editor"));
            connect(text, &QLabel::linkActivated, this, [this](const QString &link) { m_hub.request(OpenSource{QUrl(link)}); });
        }
        text->setContentsMargins(theme.px(12), 0, theme.px(12), theme.px(12));
        page->addWidget(text);
    }
}

void InspectorView::addTimes(QVBoxLayout *page)
{
    if (!m_content.times) return;
    const Theme &theme = Theme::current();
    const TimesPicture &times = *m_content.times;
    addSection(page, tr("Its times"));
    page->addWidget(new TimesChart(times));
    const auto words = [&](const QString &sentence, int below) {
        auto *text = new TextLabel(sentence, FontRole::Caption, "secondary");
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setContentsMargins(theme.px(12), 0, theme.px(12), theme.px(below));
        page->addWidget(text);
    };
    words(times.sentence, 4);
    for (const QString &tier : times.tiers) words(tier, 0);
    page->addSpacing(theme.px(10));
}

void InspectorView::addValues(QVBoxLayout *page)
{
    const Theme &theme = Theme::current();
    const auto words = [&](const QString &sentence, FontRole font, const char *ink) {
        auto *label = new TextLabel(sentence, font, ink);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(theme.px(12), 0, theme.px(12), theme.px(4));
        page->addWidget(label);
    };
    for (const InspectorContent::Values &values : m_content.values) {
        addSection(page, tr("Its values"), values.name);
        for (const QString &alarm : values.alarms) words(alarm, FontRole::Body, "error");
        if (values.histogram) page->addWidget(new TimesChart(*values.histogram));
        for (const QString &sentence : values.sentences) words(sentence, FontRole::Caption, "secondary");
        if (!values.first.isEmpty()) words(values.first, FontRole::Mono, "secondary");
        for (const InspectorContent::ValueStep &step : values.steps)
            words(QStringLiteral("· %1  %2%3")
                      .arg(step.op, step.lost, step.born.isEmpty() ? QString() : QStringLiteral("  ") + tr("%1 born here").arg(step.born)),
                  FontRole::Caption, step.born.isEmpty() ? "secondary" : "error");
        page->addSpacing(theme.px(8));
    }
}

QPushButton *InspectorView::actionButton(const InspectorContent::Action &action)
{
    auto *button = new QPushButton(action.text);
    button->setProperty("compact", true);
    button->setEnabled(action.isPossible());
    button->setToolTip(action.isPossible() ? tr("Runs the script so, and compares") : action.missing);
    connect(button, &QPushButton::clicked, this, [this, request = action.request] { m_hub.request(request); });
    return button;
}

void InspectorView::addTips(QVBoxLayout *page)
{
    const Theme &theme = Theme::current();
    for (const InspectorContent::Tip &tip : m_content.tips) {
        addSection(page, tr("Advice"), tip.gain);
        for (const auto &[sentence, role, ink] :
             {std::tuple{tip.title, FontRole::Body, ""}, std::tuple{tip.evidence, FontRole::Caption, "secondary"}}) {
            auto *text = new TextLabel(sentence, role, ink);
            text->setWordWrap(true);
            text->setTextInteractionFlags(Qt::TextSelectableByMouse);
            text->setContentsMargins(theme.px(12), 0, theme.px(12), theme.px(6));
            page->addWidget(text);
        }
        if (tip.action.text.isEmpty()) continue;
        auto *row = new QHBoxLayout;
        row->setContentsMargins(theme.px(12), 0, theme.px(12), theme.px(10));
        row->addWidget(actionButton(tip.action));
        row->addStretch();
        page->addLayout(row);
    }
}

void InspectorView::addBuffers(QVBoxLayout *page)
{
    if (m_content.buffers.empty()) return;
    addSection(page, tr("Memory"), tr("life within a call"));
    for (const BufferPicture &buffer : m_content.buffers) page->addWidget(new BufferRow(buffer));
    page->addSpacing(Theme::current().px(8));
}

void InspectorView::prepare(const SessionData &session) { session.derived<InspectorFacts>(); }

void InspectorView::addTitle(QVBoxLayout *page)
{
    const Theme &theme = Theme::current();
    auto *block = new QVBoxLayout;
    block->setContentsMargins(theme.px(12), theme.px(12), theme.px(12), theme.px(12));
    block->setSpacing(theme.px(6));
    auto *title = new TextLabel(m_content.monoTitle ? breakable(m_content.title) : m_content.title, FontRole::Title);
    if (m_content.monoTitle) {
        QFont font = theme.font(FontRole::MonoStrong);
        font.setPixelSize(theme.px(14));
        title->setFont(font);
    }
    title->setWordWrap(true);
    if (!m_content.monoTitle) title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    block->addWidget(title);
    if (!m_content.exactName.isEmpty()) {
        auto *exact = new TextLabel(breakable(m_content.exactName), FontRole::Mono, "secondary");
        exact->setWordWrap(true);
        exact->setToolTip(tipText(m_content.exactName));
        block->addWidget(exact);
    }
    if (!m_content.chips.empty()) {
        auto *chips = new QWidget;
        auto *flow = new FlowLayout(chips, theme.px(4));
        if (!m_content.phase.isEmpty()) flow->addWidget(new PhaseBadge(m_content.phase));
        for (const auto &chip : m_content.chips) flow->addWidget(new Chip(chip.text, chip.ink, chip.fill));
        block->addWidget(chips);
    }
    page->addLayout(block);
}

void InspectorView::addFigures(QVBoxLayout *page)
{
    if (m_content.figures.empty()) return;
    page->addWidget(new Hairline);
    auto *row = new FigureRow;
    for (const auto &figure : m_content.figures) row->add(figure.value, figure.label, figure.quality);
    page->addWidget(row);
}

void InspectorView::addSection(QVBoxLayout *page, const QString &title, const QString &note)
{
    const Theme &theme = Theme::current();
    page->addWidget(new Hairline);
    auto *line = new QHBoxLayout;
    line->setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(6));
    auto *name = new ElidedLabel(title, FontRole::BodyStrong);
    name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    line->addWidget(name);
    auto *beside = new ElidedLabel(note, FontRole::Cell, "muted");
    beside->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // the title comes first
    beside->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    line->addWidget(beside, 1);
    page->addLayout(line);
}

void InspectorView::addBirths(QVBoxLayout *page)
{
    if (m_content.births.rows.empty()) return;
    addSection(page, tr("Birth certificate"), m_content.births.note);
    const std::size_t count = m_content.births.rows.size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto &birth = m_content.births.rows[i];
        auto *row =
            InspectorRow::birth(birth.phase, birth.times > 1 ? QStringLiteral("%1 ×%2").arg(birth.rewrite).arg(birth.times) : birth.rewrite,
                                birth.reason, tr("step %1").arg(birth.step), i == 0, i + 1 == count);
        connect(row, &QAbstractButton::clicked, this, [this, step = birth.step] { m_hub.selectStep(step); });
        page->addWidget(row);
    }
    page->addSpacing(Theme::current().px(8));
}

void InspectorView::addLines(QVBoxLayout *page)
{
    const InspectorContent::Source &source = m_content.source;
    const int highest = source.highestLine();
    const bool namesFiles = source.hasSeveralFiles();
    const auto add = [&](const QString &title, const std::vector<InspectorContent::Line> &lines) {
        if (lines.empty()) return;
        addSection(page, title);
        for (const auto &line : lines) {
            const QString file = namesFiles ? QFileInfo(line.source.file).fileName() : QString();
            auto *row = InspectorRow::sourceLine(line.source, highest, line.text, line.estimated, file);
            connect(row, &QAbstractButton::clicked, this, [this, source = line.source] { m_hub.selectSource(source); });
            page->addWidget(row);
        }
        page->addSpacing(Theme::current().px(8));
    };
    add(source.title.isEmpty() ? tr("Descends from") : source.title, source.lines);
    add(tr("Called from"), source.callers);
}

void InspectorView::addPorts(QVBoxLayout *page, const QString &title, const std::vector<InspectorContent::Input> &ports)
{
    if (ports.empty()) return;
    addSection(page, title);
    for (const auto &port : ports) {
        auto *row = InspectorRow::port(port.slot, port.name, port.flag, port.note);
        connect(row, &QAbstractButton::clicked, this, [this, node = port.node] {
            if (node.isValid()) m_hub.selectNode(node);
        });
        page->addWidget(row);
    }
    page->addSpacing(Theme::current().px(8));
}

} // namespace views
