#pragma once

#include <QHash>
#include <QWidget>

class QBoxLayout;

namespace views {

class CompareSideCard;
class ElidedLabel;
class KeptSides;
class TextLabel;

/// The top of a comparison: both sides, and what came of it.
class CompareHead : public QWidget {
    Q_OBJECT
public:
    explicit CompareHead(QWidget *parent = nullptr);

    CompareSideCard *cardA() const { return m_cardA; }
    CompareSideCard *cardB() const { return m_cardB; }
    /// Names that a person gave by path, which sides are pinned, and what may be chosen.
    void setSides(const KeptSides &sides, const QHash<QString, QString> &names);
    /// `ink` as of a TextLabel.
    void setVerdict(const QString &headline, const QString &sentence, const char *ink = nullptr);
    QString headline() const;
    /// The verdict beside the cards instead of below them.
    void setWide(bool isWide);

Q_SIGNALS:
    void swapRequested();

private:
    CompareSideCard *m_cardA;
    CompareSideCard *m_cardB;
    TextLabel *m_headline;
    ElidedLabel *m_sentence;
    QBoxLayout *m_layout;
};

} // namespace views
