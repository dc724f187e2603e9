#include "app/studio/welcome_page.h"

#include "app/studio/welcome_cards.h"
#include "views/common/controls.h"
#include "views/common/icons.h"
#include "views/common/panels.h"

#include <QCoreApplication>
#include <QDir>
#include <QGridLayout>
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
    const QString beside = QCoreApplication::applicationDirPath();
    for (const QString &candidate : {beside + "/../share/croton/samples", beside + "/../../samples", beside + "/../samples",
                                     QStringLiteral(CROTON_SOURCE_DIR "/samples")})
        if (QDir(candidate).exists()) return QDir(candidate).canonicalPath();
    return {};
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
        card.file = root.filePath(name + '/' + object["file"].toString());
        const QString recorded = root.filePath(name + '/' + object["session"].toString());
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
    layout->addWidget(buildLeft());
    layout->addWidget(new Hairline(Qt::Vertical));
    layout->addWidget(buildRight(), 1);
}

QWidget *WelcomePage::buildLeft()
{
    const Theme &theme = Theme::current();
    auto *left = new QWidget;
    setSurface(left, "panel");
    left->setFixedWidth(theme.px(kLeftWidth));
    auto *page = new QVBoxLayout(left);
    page->setContentsMargins(theme.px(32), theme.px(40), theme.px(32), theme.px(20));
    page->setSpacing(theme.px(8));
    auto *brand = new QHBoxLayout;
    brand->setSpacing(theme.px(12));
    auto *mark = new QLabel;
    mark->setPixmap(applicationIcon().pixmap(QSize(theme.px(36), theme.px(36)), devicePixelRatioF()));
    brand->addWidget(mark, 0, Qt::AlignVCenter);
    auto *names = new QVBoxLayout;
    names->setSpacing(0);
    names->addWidget(new TextLabel(tr("Croton Studio"), FontRole::Heading));
    auto *motto = new TextLabel(tr("See what a compiler makes of your expressions"), FontRole::Caption, "muted");
    motto->setWordWrap(true);
    names->addWidget(motto);
    brand->addLayout(names, 1);
    page->addLayout(brand);
    page->addSpacing(theme.px(20));
    auto *open = new WideButton(QStringLiteral("folder"), tr("Open a script or session"), QStringLiteral("Ctrl+O"), true);
    auto *profile = new WideButton(QStringLiteral("run"), tr("Profile a script…"), {}, false);
    auto *compare = new WideButton(QStringLiteral("compare"), tr("Compare two sessions…"), {}, false);
    compare->setEnabled(false);
    compare->setToolTip(tr("“croton compare A B” prints the differences of two sessions"));
    connect(open, &QAbstractButton::clicked, this, &WelcomePage::openRequested);
    connect(profile, &QAbstractButton::clicked, this, &WelcomePage::profileCommandRequested);
    page->addWidget(open);
    page->addWidget(profile);
    page->addWidget(compare);
    page->addWidget(new DropHint);
    page->addSpacing(theme.px(20));
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(0);
    page->addLayout(m_recent);
    page->addStretch();
    m_machine = new QVBoxLayout;
    m_machine->setSpacing(theme.px(4));
    page->addLayout(m_machine);
    return left;
}

QWidget *WelcomePage::buildRight()
{
    const Theme &theme = Theme::current();
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto *right = new QWidget;
    setSurface(right, "window");
    auto *page = new QVBoxLayout(right);
    page->setContentsMargins(theme.px(40), theme.px(36), theme.px(40), theme.px(24));
    page->setSpacing(theme.px(8));
    page->addWidget(new TextLabel(tr("Try an expression"), FontRole::Title));

    auto *box = new QFrame;
    box->setProperty("card", true);
    box->setObjectName(QStringLiteral("expressionBox"));
    auto *line = new QHBoxLayout(box);
    line->setContentsMargins(theme.px(4), theme.px(6), theme.px(8), theme.px(6));
    line->setSpacing(theme.px(8));
    m_expression = new QLineEdit(QString::fromLatin1(kExamples[0]));
    m_expression->setObjectName(QStringLiteral("expression"));
    QFont mono = theme.font(FontRole::Mono);
    mono.setPixelSize(theme.px(14));
    m_expression->setFont(mono);
    m_expression->setFrame(false);
    m_expression->setProperty("bare", true);
    m_expression->setAccessibleName(tr("Expression"));
    auto *examples = new MenuButton(tr("Examples"));
    auto *menu = new QMenu(examples);
    for (const char *example : kExamples)
        menu->addAction(QString::fromLatin1(example), this, [this, example] { m_expression->setText(QString::fromLatin1(example)); });
    examples->setMenu(menu);
    auto *show = new QPushButton(tr("Show graph"));
    makePrimary(show);
    line->addWidget(m_expression, 1);
    line->addWidget(examples);
    line->addWidget(show);
    page->addWidget(box);
    connect(show, &QPushButton::clicked, this, [this] { Q_EMIT expressionRequested(expression()); });
    connect(m_expression, &QLineEdit::returnPressed, show, &QPushButton::click);

    auto *result = new QHBoxLayout;
    result->setSpacing(theme.px(6));
    m_resultIcon = new QLabel;
    m_result = new TextLabel(QString(), FontRole::Cell, "secondary");
    m_result->setWordWrap(true);
    result->addWidget(m_resultIcon);
    result->addWidget(m_result, 1);
    page->addLayout(result);
    setExpressionResult(tr("The pprint notation: name: type, then expressions, separated by semicolons."), true);
    page->addSpacing(theme.px(20));

    m_samplesHead = new QWidget;
    auto *head = new QHBoxLayout(m_samplesHead);
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(theme.px(8));
    head->addWidget(new TextLabel(tr("Samples"), FontRole::Title));
    head->addWidget(new TextLabel(tr("scripts and recorded sessions to look around in"), FontRole::Caption, "muted"), 1);
    m_groups = new SegmentedSwitch;
    m_groups->setCompact(true);
    m_groups->addChoice(QStringLiteral("all"), tr("All"));
    m_groups->addChoice(QStringLiteral("first"), tr("First steps"));
    m_groups->addChoice(QStringLiteral("numerics"), tr("Numerics"));
    m_groups->addChoice(QStringLiteral("models"), tr("Models"));
    head->addWidget(m_groups);
    connect(m_groups, &SegmentedSwitch::currentChanged, this, &WelcomePage::rebuildSamples);
    page->addWidget(m_samplesHead);
    m_grid = new QGridLayout;
    m_grid->setSpacing(theme.px(16));
    page->addLayout(m_grid);
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
    int shown = 0;
    for (const SampleCard &card : m_samples) {
        if (group != "all" && card.group != group) continue;
        auto *button = new SampleButton(card);
        connect(button, &QAbstractButton::clicked, this, [this, file = card.file] { Q_EMIT fileChosen(file); });
        m_grid->addWidget(button, shown / m_columns, shown % m_columns);
        ++shown;
    }
    for (int column = 0; column < 3; ++column) m_grid->setColumnStretch(column, column < m_columns ? 1 : 0);
    // Fewer cards than columns keep the width they have in a full row.
    for (; shown < m_columns; ++shown) m_grid->addWidget(new QWidget, 0, shown);
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
            why->setToolTip(capability.reason.toHtmlEscaped());
            why->setAccessibleDescription(capability.reason);
            connect(why, &QToolButton::clicked, this, [why, reason = capability.reason] {
                auto *menu = new QMenu(why);
                menu->setAttribute(Qt::WA_DeleteOnClose);
                menu->addAction(reason)->setEnabled(false);
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

void WelcomePage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const int room = width() - Theme::current().px(kLeftWidth + 80);
    const int columns = std::clamp(room / Theme::current().px(250), 1, 3);
    if (columns != m_columns) {
        m_columns = columns;
        rebuildSamples();
    }
}

} // namespace app
