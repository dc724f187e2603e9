#include "views/lessons/question_card.h"

#include "views/common/controls.h"
#include "views/common/flow_layout.h"
#include "views/common/flow_text.h"
#include "views/common/icons.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/common/tips.h"
#include "views/lessons/lesson_answers.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRadioButton>
#include <QVBoxLayout>

namespace views {

using profiler::Judgement;
using profiler::LessonBlockKind;

namespace {

constexpr auto kSeparator = "; ";

/// What a button can show of Markdown: its words.
QString plain(QString markdown) { return markdown.remove('`').remove(QStringLiteral("**")); }

} // namespace

QuestionCard::QuestionCard(const profiler::LessonBlock &question, CardContext context, const KeptAnswer *kept, QWidget *parent)
    : QFrame(parent), m_question(question), m_context(std::move(context))
{
    const Theme &theme = Theme::current();
    setProperty("card", true);
    setObjectName(text(question.id));
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10));
    rows->setSpacing(theme.px(8));
    auto *head = new QHBoxLayout;
    head->setSpacing(theme.px(8));
    auto *icon = new QLabel;
    const char *name = question.kind == LessonBlockKind::Nodes ? "eye" : question.kind == LessonBlockKind::Task ? "run" : "help";
    icon->setPixmap(iconPixmap(QLatin1String(name), theme.px(16), theme.color(Color::Accent), devicePixelRatioF()));
    head->addWidget(icon);
    head->addWidget(new TextLabel(question.kind == LessonBlockKind::Nodes  ? tr("Your prediction")
                                  : question.kind == LessonBlockKind::Task ? tr("Your turn")
                                                                           : tr("Question"),
                                  FontRole::BodyStrong));
    head->addStretch();
    m_chosen = new TextLabel({}, FontRole::Caption, "muted");
    rows->addLayout(head);
    addText(rows, m_context.text(question.text));
    if (question.kind == LessonBlockKind::Nodes) rows->addWidget(m_chosen); // a sentence, too long for the head
    else head->addWidget(m_chosen);
    if (m_context.facts && m_context.isAbout) {
        try {
            if (question.kind == LessonBlockKind::Choice) buildChoice(rows, kept);
            else if (question.kind == LessonBlockKind::Number) buildNumber(rows, kept);
            else if (question.kind == LessonBlockKind::Nodes) buildNodes(rows);
        } catch (const profiler::FactError &error) {
            m_context.facts = nullptr;
            rows->addWidget(new TextLabel(text(error.what()), FontRole::Body, "error"));
        }
    }
    buildFoot(rows);
    if (kept && kept->tries > 0) {
        say(kept->isRight, kept->isRight ? tr("You answered this: right.") : tr("You answered this, and it was not right yet."));
        showBecause(kept->isRight);
    }
    refreshChips();
}

FlowText *QuestionCard::addText(QVBoxLayout *rows, const QString &markdown)
{
    auto *words = new FlowText;
    words->setText(markdown);
    connect(words, &QTextBrowser::anchorClicked, this, &QuestionCard::linkActivated);
    rows->addWidget(words);
    return words;
}

void QuestionCard::buildChoice(QVBoxLayout *rows, const KeptAnswer *kept)
{
    const auto offered = profiler::offeredAnswers(*m_context.facts, m_question);
    const auto right = std::count_if(offered.begin(), offered.end(), [](const auto &each) { return each.isRight; });
    const QStringList before = kept ? kept->text.split(QLatin1String(kSeparator)) : QStringList();
    for (const profiler::OfferedAnswer &each : offered) {
        const QString words = plain(m_context.text(each.text));
        const QString exact = text(each.exact);
        QAbstractButton *button = right == 1 ? static_cast<QAbstractButton *>(new QRadioButton) : new QCheckBox;
        // Buttons do not wrap: the words stand beside, and are clicked as well.
        auto *row = new QHBoxLayout;
        row->setSpacing(Theme::current().px(8));
        auto *label = new TextLabel(words, FontRole::Body);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        if (!exact.isEmpty()) label->setToolTip(tipText(exact));
        button->setAccessibleName(words);
        button->setChecked(before.contains(words));
        label->setBuddy(button);
        label->installEventFilter(this);
        row->addWidget(button, 0, Qt::AlignTop);
        row->addWidget(label, 1);
        rows->addLayout(row);
        m_options.push_back(button);
        m_offered << words;
    }
}

void QuestionCard::buildNumber(QVBoxLayout *rows, const KeptAnswer *kept)
{
    const Theme &theme = Theme::current();
    auto *row = new QHBoxLayout;
    m_number = new QLineEdit(kept ? kept->text : QString());
    m_number->setAccessibleName(tr("Your answer"));
    m_number->setPlaceholderText(tr("a number"));
    m_number->setMaximumWidth(theme.px(160));
    row->addWidget(m_number);
    row->addWidget(new TextLabel(text(profiler::unitOf(*m_context.facts, m_question)), FontRole::Body, "muted"));
    row->addStretch();
    rows->addLayout(row);
    connect(m_number, &QLineEdit::returnPressed, this, &QuestionCard::check);
}

void QuestionCard::buildNodes(QVBoxLayout *rows)
{
    m_chips = new QWidget;
    new FlowLayout(m_chips, Theme::current().px(6));
    rows->addWidget(m_chips);
}

void QuestionCard::buildFoot(QVBoxLayout *rows)
{
    const Theme &theme = Theme::current();
    auto *foot = new QHBoxLayout;
    foot->setSpacing(theme.px(8));
    m_check = new QPushButton(m_question.kind == LessonBlockKind::Nodes  ? tr("Reveal")
                              : m_question.kind == LessonBlockKind::Task ? tr("Check my run")
                                                                         : tr("Check"));
    m_check->setObjectName(QStringLiteral("check"));
    makePrimary(m_check);
    const bool can = m_context.facts && (m_context.isAbout || m_question.kind == LessonBlockKind::Task);
    m_check->setEnabled(can);
    if (!can)
        m_check->setToolTip(m_question.kind == LessonBlockKind::Task
                                ? tr("Run the script first: the session of the run says whether it is done")
                                : tr("Open the sample of this page first: its session has the answer"));
    connect(m_check, &QPushButton::clicked, this, &QuestionCard::check);
    foot->addWidget(m_check);
    if (!m_question.hint.empty()) {
        m_hintButton = linkButton(tr("Hint"));
        foot->addWidget(m_hintButton);
    }
    if (!m_question.reveal.empty()) {
        m_see = linkButton(tr("See the step"));
        m_see->hide();
        connect(m_see, &QToolButton::clicked, this, [this] { Q_EMIT revealWanted(text(m_question.reveal)); });
        foot->addWidget(m_see);
    }
    foot->addStretch();
    rows->addLayout(foot);
    if (m_hintButton) {
        m_hint = addText(rows, m_context.text(m_question.hint));
        m_hint->hide();
        connect(m_hintButton, &QToolButton::clicked, this, [this] { m_hint->setVisible(m_hint->isHidden()); });
    }
    m_verdictRow = new QWidget;
    m_verdictRow->setObjectName(QStringLiteral("verdict"));
    auto *row = new QHBoxLayout(m_verdictRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme.px(8));
    m_verdictIcon = new QLabel;
    m_verdict = new TextLabel({}, FontRole::BodyStrong);
    m_verdict->setWordWrap(true);
    row->addWidget(m_verdictIcon, 0, Qt::AlignTop);
    row->addWidget(m_verdict, 1);
    rows->addWidget(m_verdictRow);
    m_verdictRow->hide();
    m_why = addText(rows, {});
    m_why->hide();
    if (!m_question.because.empty()) {
        m_because = addText(rows, m_context.text(m_question.because));
        m_because->hide();
    }
}

bool QuestionCard::eventFilter(QObject *object, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonRelease)
        if (const auto *label = qobject_cast<QLabel *>(object); label && label->buddy())
            if (auto *button = qobject_cast<QAbstractButton *>(label->buddy())) button->click();
    return QFrame::eventFilter(object, event);
}

QString QuestionCard::verdict() const { return m_verdictRow->isHidden() ? QString() : m_verdict->text(); }

QString QuestionCard::nameOf(profiler::ApplyId apply) const
{
    const profiler::GraphReplica &graph = m_context.facts->graphAt(m_context.atStep);
    const profiler::ReplicaApply *node = graph.apply(apply);
    if (!node) return {};
    const QString name = friendlyName(text(graph.text(node->friendly)));
    const std::string &made = node->outputs.empty() ? std::string() : graph.text(graph.variable(node->outputs.front())->name);
    return made.empty() ? name : QStringLiteral("%1 (%2)").arg(name, text(made));
}

void QuestionCard::toggleNode(std::int64_t apply)
{
    if (!wantsNodes() || !m_context.facts || !m_context.isAbout) return;
    const profiler::ApplyId id{static_cast<std::uint32_t>(apply)};
    const profiler::ReplicaApply *node = m_context.facts->graphAt(m_context.atStep).apply(id);
    if (!node || !node->live) return;
    if (!m_marked.erase(id)) m_marked.insert(id);
    refreshChips();
}

void QuestionCard::refreshChips()
{
    if (!m_chips) return;
    clearLayout(m_chips->layout());
    if (!m_isRevealed) m_marks.clear();
    for (const profiler::ApplyId id : m_marked) {
        if (!m_isRevealed) m_marks.insert({Side::Optimized, NodeKind::Apply, profiler::raw(id)}, NodeMark::Chosen);
        auto *chip = new QToolButton;
        chip->setText(nameOf(id) + QStringLiteral("  ✕"));
        chip->setToolTip(tr("Take the mark away"));
        chip->setEnabled(!m_isRevealed);
        connect(chip, &QToolButton::clicked, this, [this, id] { toggleNode(profiler::raw(id)); });
        m_chips->layout()->addWidget(chip);
    }
    m_chips->setVisible(!m_marked.empty());
    m_chosen->setText(m_marked.empty() ? tr("Click nodes in the graph") : tr("%n marked", nullptr, static_cast<int>(m_marked.size())));
    if (m_context.facts && m_context.isAbout) m_check->setEnabled(!m_marked.empty() && !m_isRevealed);
    updateGeometry();
    Q_EMIT marksChanged();
}

void QuestionCard::say(bool isRight, const QString &sentence)
{
    const Theme &theme = Theme::current();
    m_verdictIcon->setPixmap(iconPixmap(isRight ? QStringLiteral("check") : QStringLiteral("cross"), theme.px(16),
                                        theme.color(isRight ? Color::Ok : Color::Error), devicePixelRatioF()));
    m_verdict->setInk(isRight ? "ok" : "error");
    m_verdict->setText(sentence);
    m_verdictRow->show();
}

QString QuestionCard::explanation() const { return m_why->isHidden() ? QString() : m_why->toPlainText(); }

void QuestionCard::explain(const Judgement &judgement)
{
    const bool isShown = !judgement.isRight && !m_context.hidesAnswers;
    QStringList sentences;
    for (const std::string &sentence : judgement.why) sentences << m_context.text(sentence);
    m_why->setText(sentences.join(QStringLiteral("\n\n")));
    m_why->setVisible(isShown && !sentences.isEmpty());
    if (m_hint && isShown) m_hint->show();
}

void QuestionCard::showBecause(bool on)
{
    if (m_because) m_because->setVisible(on && !m_context.hidesAnswers);
}

void QuestionCard::check()
{
    if (!m_check->isEnabled()) return;
    try {
        judge();
    } catch (const profiler::FactError &error) {
        say(false, text(error.what()));
    }
}

void QuestionCard::judge()
{
    switch (m_question.kind) {
    case LessonBlockKind::Choice: judgeChoice(); break;
    case LessonBlockKind::Number: judgeNumber(); break;
    case LessonBlockKind::Nodes: judgeNodes(); break;
    case LessonBlockKind::Task: judgeTask(); break;
    default: break;
    }
}

void QuestionCard::judgeChoice()
{
    std::set<int> chosen;
    QStringList words;
    for (std::size_t i = 0; i < m_options.size(); ++i)
        if (m_options[i]->isChecked()) {
            chosen.insert(static_cast<int>(i));
            words << m_offered[static_cast<qsizetype>(i)];
        }
    if (chosen.empty()) {
        say(false, tr("Nothing is chosen yet."));
        return;
    }
    const Judgement judgement = profiler::judgeChoice(*m_context.facts, m_question, chosen);
    say(judgement.isRight, judgement.isRight ? tr("Right.")
                           : judgement.isPart && !m_context.hidesAnswers
                               ? tr("Not right yet: what is chosen is right, but something is missing.")
                               : tr("Not right. Look again, and try another answer."));
    explain(judgement);
    showBecause(judgement.isRight);
    Q_EMIT answered(words.join(QLatin1String(kSeparator)), judgement.isRight, false);
}

void QuestionCard::judgeNumber()
{
    const QString typed = m_number->text().trimmed();
    if (typed.isEmpty()) {
        say(false, tr("There is no number yet."));
        return;
    }
    const Judgement judgement = profiler::judgeNumber(*m_context.facts, m_question, typed.toStdString());
    say(judgement.isRight, judgement.isRight        ? m_context.hidesAnswers ? tr("Right.") : tr("Right: %1.").arg(text(judgement.expected))
                                  : m_context.hidesAnswers ? tr("Not right. Look again, and try another number.")
                           : judgement.off == 0     ? tr("Not right: %1 is not a number.").arg(typed)
                           : judgement.off < 0      ? tr("Not right: %1 is too small.").arg(typed)
                                                    : tr("Not right: %1 is too large.").arg(typed));
    explain(judgement);
    showBecause(judgement.isRight);
    Q_EMIT answered(typed, judgement.isRight, false);
}

void QuestionCard::judgeNodes()
{
    const Judgement judgement = profiler::judgeNodes(*m_context.facts, m_question, m_marked, m_context.atStep);
    QStringList names;
    for (const profiler::ApplyId id : m_marked) names << nameOf(id);
    const auto count = [](const std::set<profiler::ApplyId> &nodes) { return static_cast<int>(nodes.size()); };
    if (m_context.hidesAnswers) {
        say(judgement.isRight, judgement.isRight ? tr("Right.") : tr("Not right. Look again, and mark others."));
        Q_EMIT answered(names.join(QLatin1String(kSeparator)), judgement.isRight, false);
        return;
    }
    m_isRevealed = true;
    m_marks.clear();
    for (const auto &[nodes, mark] : {std::pair(&judgement.right, NodeMark::Right), std::pair(&judgement.missed, NodeMark::Missed),
                                      std::pair(&judgement.wrong, NodeMark::Wrong)})
        for (const profiler::ApplyId id : *nodes) m_marks.insert({Side::Optimized, NodeKind::Apply, profiler::raw(id)}, mark);
    if (judgement.isRight)
        say(true, count(judgement.right) == 1 ? tr("Right: this one, and no other.")
                                              : tr("Right: all %n, and no other.", nullptr, count(judgement.right)));
    else
        say(false, tr("Not right: %1 of %2 found, %3 marked that do not belong to them.")
                       .arg(count(judgement.right))
                       .arg(count(judgement.right) + count(judgement.missed))
                       .arg(count(judgement.wrong)));
    explain(judgement);
    showBecause(true);
    if (m_see) m_see->show();
    refreshChips();
    Q_EMIT answered(names.join(QLatin1String(kSeparator)), judgement.isRight, true);
}

void QuestionCard::judgeTask()
{
    const Judgement judgement = profiler::judgeTask(*m_context.facts, m_question);
    if (judgement.isRight) say(true, tr("Done: this run shows it."));
    else say(false, plain(m_context.text(m_question.needs[static_cast<std::size_t>(judgement.need)].otherwise)));
    showBecause(judgement.isRight);
    Q_EMIT answered(judgement.isRight ? tr("done") : tr("not done yet"), judgement.isRight, false);
}

} // namespace views
