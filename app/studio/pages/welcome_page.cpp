#include "app/studio/pages/welcome_page.h"

#include "app/studio/pages/welcome_cards.h"
#include "views/common/background.h"
#include "views/common/choice_tabs.h"
#include "views/common/controls.h"
#include "views/common/icons.h"
#include "views/common/panels.h"
#include "views/common/tips.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDir>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr qint64 kMostCardBytes = 64 * 1024;
constexpr int kLeftWidth = 328;
constexpr int kNarrow = 900; // below, at 100 %, everything stands closer
constexpr int kRecentShown = 6;

const char *const kExamples[] = {
    "x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)",
    "x: dvector; w: dvector; 1 / (1 + exp(-dot(x, w)))",
    "a: dmatrix; b: dmatrix; c: dmatrix; 0.5 * dot(a, b) + 2 * c",
    "x: dvector; log(1 - 1 / (1 + exp(-x)))",
};

} // namespace

QString samplesFolder()
{
    return QDir(QCoreApplication::applicationDirPath() + "/../samples").canonicalPath(); // empty where there is none
}

std::vector<SampleCard> readSamples(const QString &folder)
{
    std::vector<std::pair<int, SampleCard>> cards;
    const QDir root(folder);
    for (const QString &name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        QFile file(root.filePath(name + "/card.json"));
        if (folder.isEmpty() || !file.open(QIODevice::ReadOnly) || file.size() > kMostCardBytes) continue;
        const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
        SampleCard card;
        card.title = object["title"].toString();
        card.subtitle = object["subtitle"].toString();
        card.group = object["group"].toString();
        for (const QJsonValue &tag : object["tags"].toArray()) card.tags << tag.toString();
        card.sees = object["sees"].toString();
        card.script = card.file = root.filePath(name + '/' + name + ".py");
        const QString recorded = root.filePath(name + '/' + name + ".croton");
        if (QFileInfo(recorded).isFile()) card.file = recorded;
        for (const QJsonValue &value : object["nodes"].toArray()) {
            const QJsonObject node = value.toObject();
            card.nodes.push_back({node["text"].toString(), node["kind"].toString(), std::clamp(node["x"].toDouble(), 0.0, 1.0),
                                  std::clamp(node["row"].toInt(), 0, 8)});
        }
        for (const QJsonValue &value : object["edges"].toArray())
            card.edges.emplace_back(value.toArray().at(0).toInt(-1), value.toArray().at(1).toInt(-1));
        if (!card.title.isEmpty() && QFileInfo(card.file).isFile()) cards.emplace_back(object["order"].toInt(99), std::move(card));
    }
    std::stable_sort(cards.begin(), cards.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<SampleCard> result;
    for (auto &[order, card] : cards) result.push_back(std::move(card));
    return result;
}

WelcomePage::WelcomePage(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "window");
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_left = buildLeft();
    layout->addWidget(m_left);
    layout->addWidget(new Hairline(Qt::Vertical));
    layout->addWidget(buildRight(), 1);
}

QWidget *WelcomePage::buildLeft()
{
    const Theme &theme = Theme::current();
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *left = new QWidget;
    setSurface(left, "panel");
    scroll->setWidget(left);
    auto *page = m_leftPage = new QVBoxLayout(left);
    page->setSpacing(theme.px(8));
    auto *brand = new QHBoxLayout;
    brand->setSpacing(theme.px(12));
    auto *mark = new QLabel;
    mark->setPixmap(applicationIcon().pixmap(QSize(theme.px(36), theme.px(36)), devicePixelRatioF()));
    brand->addWidget(mark, 0, Qt::AlignVCenter);
    auto *names = new QVBoxLayout;
    names->setSpacing(0);
    auto *name = new TextLabel(tr("Croton Studio"), FontRole::Heading);
    name->setWordWrap(true);
    names->addWidget(name);
    auto *motto = new TextLabel(tr("See what a compiler makes of your expressions"), FontRole::Caption, "muted");
    motto->setWordWrap(true);
    names->addWidget(motto);
    brand->addLayout(names, 1);
    page->addLayout(brand);
    page->addSpacing(theme.px(20));
    auto *open = new WideButton(QStringLiteral("folder"), tr("Open a script or session"), QStringLiteral("Ctrl+O"), true);
    auto *profile = new WideButton(QStringLiteral("run"), tr("Profile a script…"), {}, false);
    auto *compare = new WideButton(QStringLiteral("compare"), tr("Compare two sessions…"), {}, false);
    auto *learn = new WideButton(QStringLiteral("book"), tr("Learn with lessons"), {}, false);
    learn->setObjectName(QStringLiteral("welcomeLearn"));
    connect(learn, &QAbstractButton::clicked, this, &WelcomePage::learnRequested);
    open->setObjectName(QStringLiteral("welcomeOpen"));
    profile->setObjectName(QStringLiteral("welcomeProfile"));
    compare->setObjectName(QStringLiteral("welcomeCompare"));
    connect(open, &QAbstractButton::clicked, this, &WelcomePage::openRequested);
    connect(profile, &QAbstractButton::clicked, this, &WelcomePage::profileRequested);
    connect(compare, &QAbstractButton::clicked, this, &WelcomePage::compareRequested);
    page->addWidget(open);
    page->addWidget(profile);
    page->addWidget(compare);
    page->addWidget(learn);
    page->addWidget(new DropHint);
    page->addSpacing(theme.px(20));
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(0);
    page->addLayout(m_recent);
    page->addStretch();
    m_machine = new QVBoxLayout;
    m_machine->setSpacing(theme.px(4));
    page->addLayout(m_machine);
    return scroll;
}

QWidget *WelcomePage::buildExpression()
{
    const Theme &theme = Theme::current();
    auto *box = new QFrame;
    box->setProperty("card", true);
    box->setObjectName(QStringLiteral("expressionBox"));
    auto *rows = new QVBoxLayout(box);
    rows->setContentsMargins(theme.px(4), theme.px(6), theme.px(8), theme.px(6));
    rows->setSpacing(theme.px(6));
    QFont mono = theme.font(FontRole::Mono);
    mono.setPixelSize(theme.px(14));
    const auto edit = [&mono](const char *name, const QString &said) {
        auto *line = new QLineEdit;
        line->setObjectName(QLatin1String(name));
        line->setFont(mono);
        line->setFrame(false);
        line->setProperty("bare", true);
        line->setAccessibleName(said);
        line->setMinimumWidth(Theme::current().px(80));
        return line;
    };
    m_expression = edit("expression", tr("Expression"));
    m_expression->setText(QString::fromLatin1(kExamples[0]));
    m_expression->setCursorPosition(0);
    m_values = edit("values", tr("Values of its inputs"));
    m_values->setPlaceholderText(tr("values: x = [[1, 2], [3, 4]]  (others are random)"));
    auto *examples = new MenuButton(tr("Examples"));
    auto *menu = new QMenu(examples);
    for (const char *example : kExamples)
        menu->addAction(QString::fromLatin1(example), this, [this, example] { m_expression->setText(QString::fromLatin1(example)); });
    examples->setMenu(menu);
    auto *show = new QPushButton(tr("Show graph"));
    makePrimary(show);
    auto *evaluate = new QPushButton(tr("Show value"));
    evaluate->setObjectName(QStringLiteral("showValue"));
    evaluate->setToolTip(tr("Compile it, call it once and show what comes out"));
    auto *first = new QHBoxLayout;
    first->setSpacing(theme.px(8));
    first->addWidget(m_expression, 1);
    first->addWidget(examples);
    m_valuesLine = new QBoxLayout(QBoxLayout::LeftToRight);
    m_valuesLine->setSpacing(theme.px(8));
    m_valuesLine->addWidget(m_values, 1);
    auto *acts = new QHBoxLayout;
    acts->setSpacing(theme.px(8));
    acts->addWidget(evaluate);
    acts->addWidget(show);
    acts->addStretch(1);
    m_valuesLine->addLayout(acts);
    rows->addLayout(first);
    rows->addWidget(new Hairline);
    rows->addLayout(m_valuesLine);
    connect(show, &QPushButton::clicked, this, [this] { Q_EMIT expressionRequested(expression()); });
    connect(m_expression, &QLineEdit::returnPressed, show, &QPushButton::click);
    connect(evaluate, &QPushButton::clicked, this, [this] { Q_EMIT valuesRequested(expression(), values()); });
    connect(m_values, &QLineEdit::returnPressed, evaluate, &QPushButton::click);
    return box;
}

QWidget *WelcomePage::buildSamplesHead()
{
    const Theme &theme = Theme::current();
    auto *head = new QWidget;
    head->setMinimumWidth(1); // the choices follow the width, not the other way round
    m_headLine = new QBoxLayout(QBoxLayout::LeftToRight, head);
    m_headLine->setContentsMargins(0, 0, 0, 0);
    m_headLine->setSpacing(theme.px(8));
    auto *words = new QHBoxLayout;
    words->setSpacing(theme.px(8));
    words->addWidget(new TextLabel(tr("Samples"), FontRole::Title));
    words->addWidget(new ElidedLabel(tr("scripts to look around in"), FontRole::Caption, "muted"), 1);
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("sampleSearch"));
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search in the samples"));
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(theme.px(90));
    m_search->setMaximumWidth(theme.px(180));
    m_groups = new ChoiceTabs(tr("Kind of sample"));
    m_groups->addChoice(QStringLiteral("all"), tr("All"));
    m_groups->addChoice(QStringLiteral("first"), tr("First steps"));
    m_groups->addChoice(QStringLiteral("models"), tr("Models"));
    m_groups->addChoice(QStringLiteral("loops"), tr("Loops"));
    m_groups->addChoice(QStringLiteral("numerics"), tr("Numerics"));
    m_groups->addChoice(QStringLiteral("devices"), tr("Devices"));
    m_groups->addChoice(QStringLiteral("large"), tr("Large"));
    m_headLine->addLayout(words, 1);
    auto *choices = new QHBoxLayout;
    choices->setSpacing(theme.px(8));
    choices->addWidget(m_search);
    choices->addWidget(m_groups);
    choices->addStretch(1);
    m_headLine->addLayout(choices);
    connect(m_search, &QLineEdit::textChanged, this, &WelcomePage::rebuildSamples);
    connect(m_groups, &ChoiceTabs::currentChanged, this, &WelcomePage::rebuildSamples);
    return head;
}

QWidget *WelcomePage::buildRight()
{
    const Theme &theme = Theme::current();
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *right = new QWidget;
    setSurface(right, "window");
    auto *page = m_rightPage = new QVBoxLayout(right);
    page->setSpacing(theme.px(8));
    page->addWidget(new TextLabel(tr("Try an expression"), FontRole::Title));
    page->addWidget(buildExpression());
    auto *result = new QHBoxLayout;
    result->setSpacing(theme.px(6));
    m_resultIcon = new QLabel;
    m_result = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_result->setObjectName(QStringLiteral("expressionResult"));
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    result->addWidget(m_resultIcon, 0, Qt::AlignTop);
    result->addWidget(m_result, 1);
    page->addLayout(result);
    setExpressionResult(tr("The pprint notation: name: type, then expressions, separated by semicolons."), true);
    page->addSpacing(theme.px(20));
    m_samplesHead = buildSamplesHead();
    page->addWidget(m_samplesHead);
    m_grid = new QGridLayout;
    m_grid->setSpacing(theme.px(16));
    page->addLayout(m_grid);
    m_noSample = new EmptyState;
    m_noSample->hide();
    page->addWidget(m_noSample);
    page->addStretch();
    scroll->setWidget(right);
    return scroll;
}

void WelcomePage::setRecent(const QStringList &files)
{
    clearLayout(m_recent);
    if (files.isEmpty()) return;
    auto *title = new TextLabel(tr("Recent"), FontRole::Overline, "muted");
    m_recent->addWidget(title);
    m_recent->addSpacing(Theme::current().px(6));
    for (const QString &file : files.mid(0, kRecentShown)) {
        auto *button = new RecentButton(file);
        connect(button, &QAbstractButton::clicked, this, [this, file] { Q_EMIT fileChosen(file); });
        m_recent->addWidget(button);
        inBackground(
            button, [file] { return recentState(file); }, [button](const RecentState &state) { button->setState(state); });
    }
}

void WelcomePage::setSamples(std::vector<SampleCard> samples)
{
    m_samples = std::move(samples);
    m_samplesHead->setVisible(!m_samples.empty());
    rebuildSamples();
}

void WelcomePage::rebuildSamples()
{
    clearLayout(m_grid);
    const QString group = m_groups->current();
    const QStringList words = m_search->text().split(u' ', Qt::SkipEmptyParts);
    int shown = 0;
    for (const SampleCard &card : m_samples) {
        const QString text = QStringList{card.title, card.subtitle, card.sees, card.group, card.tags.join(u' ')}.join(u' ');
        const bool answers =
            std::all_of(words.begin(), words.end(), [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
        if ((group != "all" && card.group != group) || !answers) continue;
        auto *button = new SampleButton(card);
        connect(button, &QAbstractButton::clicked, this, [this, file = card.file] { Q_EMIT sampleChosen(file); });
        connect(button, &SampleButton::runRequested, this, [this, script = card.script] { Q_EMIT runRequested(script); });
        m_grid->addWidget(button, shown / m_columns, shown % m_columns);
        ++shown;
    }
    m_noSample->setVisible(shown == 0 && !m_samples.empty());
    if (shown == 0) m_noSample->EmptyState::show(QStringLiteral("search"), tr("No sample has these words."));
    for (int column = 0; column < 3; ++column) m_grid->setColumnStretch(column, column < m_columns ? 1 : 0);
    // Fewer cards than columns keep the width they have in a full row.
    for (; shown < m_columns; ++shown) m_grid->addWidget(new QWidget, 0, shown);
}

QStringList WelcomePage::shownSamples() const
{
    QStringList titles;
    for (int i = 0; i < m_grid->count(); ++i)
        if (const auto *button = qobject_cast<SampleButton *>(m_grid->itemAt(i)->widget())) titles << button->accessibleName();
    return titles;
}

void WelcomePage::setCapabilities(const std::vector<Capability> &capabilities)
{
    clearLayout(m_machine);
    const Theme &theme = Theme::current();
    m_machine->addWidget(new TextLabel(tr("This machine"), FontRole::Overline, "muted"));
    m_machine->addSpacing(theme.px(2));
    for (const Capability &capability : capabilities) {
        auto *line = new QHBoxLayout;
        line->setSpacing(theme.px(8));
        auto *icon = new QLabel;
        icon->setPixmap(iconPixmap(capability.available ? QStringLiteral("check") : QStringLiteral("info"), theme.px(16),
                                   theme.color(capability.available ? Color::Ok : Color::Warn), devicePixelRatioF()));
        auto *text = new ElidedLabel(capability.text, FontRole::Cell, "secondary");
        line->addWidget(icon);
        line->addWidget(text, 1);
        if (!capability.available) {
            auto *why = linkButton(tr("Why?"));
            why->setToolTip(tipText(capability.reason));
            why->setAccessibleDescription(capability.reason);
            connect(why, &QToolButton::clicked, this, [why, reason = capability.reason] {
                auto *menu = new QMenu(why);
                menu->setAttribute(Qt::WA_DeleteOnClose);
                menu->addAction(reason)->setEnabled(false);
                menu->addAction(tr("Copy as text"), menu, [reason] { QGuiApplication::clipboard()->setText(reason); });
                menu->popup(why->mapToGlobal(QPoint(0, why->height())));
            });
            line->addWidget(why);
        }
        m_machine->addLayout(line);
    }
}

void WelcomePage::setExpressionResult(const QString &text, bool good)
{
    const Theme &theme = Theme::current();
    m_resultIcon->setPixmap(iconPixmap(good ? QStringLiteral("info") : QStringLiteral("error"), theme.px(16),
                                       theme.color(good ? Color::TextMuted : Color::Error), devicePixelRatioF()));
    m_result->setInk(good ? "secondary" : "error");
    m_result->setText(text);
}

QString WelcomePage::expression() const { return m_expression->text(); }
QString WelcomePage::values() const { return m_values->text().trimmed(); }

void WelcomePage::arrange()
{
    const Theme &theme = Theme::current();
    const bool narrow = width() < theme.px(kNarrow);
    m_left->setFixedWidth(std::min(theme.px(kLeftWidth), width() * 2 / 5));
    const int side = narrow ? theme.px(16) : theme.px(32);
    m_leftPage->setContentsMargins(side, narrow ? theme.px(20) : theme.px(40), side, theme.px(20));
    const int right = narrow ? theme.px(16) : theme.px(40);
    m_rightPage->setContentsMargins(right, narrow ? theme.px(20) : theme.px(36), right, theme.px(24));
    const int room = width() - m_left->width() - 2 * right;
    m_headLine->setDirection(room < theme.px(640) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_valuesLine->setDirection(room < theme.px(360) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_groups->fitInto(room - theme.px(98));
    const int columns = std::clamp(room / theme.px(250), 1, 3);
    if (columns == m_columns) return;
    m_columns = columns;
    rebuildSamples();
}

void WelcomePage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace app
