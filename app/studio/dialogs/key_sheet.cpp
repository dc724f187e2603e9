#include "app/studio/dialogs/key_sheet.h"

#include "app/studio/window/commands.h"
#include "views/common/controls.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <vector>

namespace app {

using namespace views;

namespace {

struct Line {
    QString keys;
    QString title;
};
struct Block {
    QString title;
    std::vector<Line> lines;
};

QString keysText(const QList<QKeySequence> &sequences)
{
    QStringList keys;
    for (const QKeySequence &sequence : sequences) keys << sequence.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

std::vector<Block> blocksOf(const ViewTable &views)
{
    std::vector<Block> blocks;
    for (const MenuRow &command : menuRows()) {
        if (command.isLine()) continue;
        const QString keys = keysText(command.sequences());
        if (keys.isEmpty()) continue;
        const QString title = command.menuText();
        auto block = std::find_if(blocks.begin(), blocks.end(), [&title](const Block &each) { return each.title == title; });
        if (block == blocks.end()) block = blocks.insert(blocks.end(), Block{title, {}});
        block->lines.push_back({keys, command.title()});
        if (qstrcmp(command.menu, kViewMenu) != 0 || block->lines.size() > 1) continue;
        for (const ViewEntry &view : views.entries())
            if (!view.missing) block->lines.push_back({keysText(view.sequences()), view.titleText()});
    }
    for (const PictureKey &key : pictureKeys()) {
        const QString title = key.whereText();
        auto block = std::find_if(blocks.begin(), blocks.end(), [&title](const Block &each) { return each.title == title; });
        if (block == blocks.end()) block = blocks.insert(blocks.end(), Block{title, {}});
        block->lines.push_back({key.keysText(), key.title()});
    }
    return blocks;
}

} // namespace

KeySheet::KeySheet(const ViewTable &views, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(theme.px(20), theme.px(16), theme.px(8), theme.px(12));
    auto *search = new QLineEdit;
    search->setPlaceholderText(tr("Search"));
    search->setAccessibleName(tr("Search in the keys"));
    search->setClearButtonEnabled(true);
    outer->addWidget(search);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto *sheet = new QWidget;
    auto *columns = new QHBoxLayout(sheet);
    columns->setSpacing(theme.px(32));
    std::vector<Block> blocks = blocksOf(views);
    std::size_t all = 0;
    for (const Block &block : blocks) all += block.lines.size() + 2;
    struct Shown {
        QString text;
        QWidget *keys, *title;
    };
    auto shown = std::make_shared<std::vector<Shown>>();
    QVBoxLayout *column = nullptr;
    std::size_t filled = 0;
    for (const Block &block : blocks) {
        if (!column || filled > all / 2) {
            if (column) column->addStretch(1);
            column = new QVBoxLayout;
            column->setSpacing(theme.px(4));
            columns->addLayout(column, 1);
            filled = 0;
        }
        filled += block.lines.size() + 2;
        column->addWidget(new TextLabel(block.title, FontRole::BodyStrong));
        auto *grid = new QGridLayout;
        grid->setHorizontalSpacing(theme.px(16));
        grid->setVerticalSpacing(theme.px(3));
        grid->setColumnStretch(1, 1);
        int row = 0;
        for (const Line &line : block.lines) {
            auto *keys = new TextLabel(line.keys, FontRole::Mono, "secondary");
            auto *title = new TextLabel(line.title, FontRole::Body);
            title->setWordWrap(true);
            grid->addWidget(keys, row, 0, Qt::AlignTop);
            grid->addWidget(title, row++, 1);
            shown->push_back({line.keys + u' ' + line.title, keys, title});
        }
        column->addLayout(grid);
        column->addSpacing(theme.px(12));
    }
    if (column) column->addStretch(1);
    scroll->setWidget(sheet);
    outer->addWidget(scroll, 1);
    connect(search, &QLineEdit::textChanged, this, [shown](const QString &text) {
        for (const Shown &line : *shown)
            for (QWidget *part : {line.keys, line.title}) part->setVisible(line.text.contains(text, Qt::CaseInsensitive));
    });
    const QSize most = parent ? parent->size() * 0.9 : QSize(900, 700);
    resize(QSize(theme.px(860), theme.px(640)).boundedTo(most));
}

} // namespace app
