#include "views/compare/compare_head.h"

#include "views/common/controls.h"
#include "views/compare/compare_side_card.h"
#include "views/compare/kept_sides.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <tuple>

namespace views {

CompareHead::CompareHead(QWidget *parent) : QWidget(parent), m_cardA(new CompareSideCard(true)), m_cardB(new CompareSideCard(false))
{
    const Theme &theme = Theme::current();
    m_layout = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_layout->setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10));
    m_layout->setSpacing(theme.px(12));
    auto *swapButton = iconButton(QStringLiteral("swap"), tr("Swap A and B"));
    auto *verdict = new QVBoxLayout;
    verdict->setSpacing(0);
    m_headline = new TextLabel(QString(), FontRole::Title);
    m_sentence = new ElidedLabel(QString(), FontRole::Cell, "secondary");
    verdict->addStretch(1);
    verdict->addWidget(m_headline);
    verdict->addWidget(m_sentence);
    verdict->addStretch(1);
    auto *cards = new QHBoxLayout;
    cards->setSpacing(theme.px(12));
    cards->addWidget(m_cardA, 1);
    cards->addWidget(swapButton);
    cards->addWidget(m_cardB, 1);
    m_layout->addLayout(cards, 4);
    m_layout->addLayout(verdict, 1);
    connect(swapButton, &QToolButton::clicked, this, &CompareHead::swapRequested);
}

void CompareHead::setSides(const KeptSides &sides, const QHash<QString, QString> &names)
{
    for (const auto &[card, path, isPinned] : {std::tuple(m_cardA, sides.a, sides.pinnedA), std::tuple(m_cardB, sides.b, sides.pinnedB)}) {
        card->setName(names.value(path));
        card->setPinned(isPinned);
        card->setOffered(sides.seen());
    }
}

void CompareHead::setVerdict(const QString &headline, const QString &sentence, const char *ink)
{
    m_headline->setText(headline);
    m_headline->setInk(ink);
    m_sentence->setText(sentence);
}

QString CompareHead::headline() const { return m_headline->text(); }

void CompareHead::setWide(bool isWide) { m_layout->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom); }

} // namespace views
