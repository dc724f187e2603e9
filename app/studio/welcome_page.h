#pragma once

#include <QWidget>

#include <vector>

class QLineEdit;
class QVBoxLayout;
class QGridLayout;
class QLabel;

namespace views {
class TextLabel;
class SegmentedSwitch;
} // namespace views

namespace app {

/// One sample of the samples folder, as its card.json describes it.
struct SampleCard {
    struct Node {
        QString text;
        QString kind; ///< "input", "shared", "apply", "hot", "warm", "fused", "dead", "created"
        double x = 0; ///< 0 … 1 of the picture's width
        int row = 0;
    };
    QString title;
    QString subtitle;
    QString group; ///< "first", "numerics", "gpu", "loops"
    QStringList tags;
    QString file; ///< the script, or a recorded session where there is one
    std::vector<Node> nodes;
    std::vector<std::pair<int, int>> edges;
};

/// Cards of a samples folder, sorted by their order; a broken card is left out.
std::vector<SampleCard> readSamples(const QString &folder);
/// The samples beside this program or in its source tree; empty when there are none.
QString samplesFolder();

/// What the first page says about this machine.
struct Capability {
    QString text;
    bool available = true;
    QString reason;
};

/// Shown when no file is open.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget *parent = nullptr);
    void setRecent(const QStringList &files);
    void setSamples(std::vector<SampleCard> samples);
    void setCapabilities(const std::vector<Capability> &capabilities);
    /// What the last expression gave: a sentence, and whether it is good.
    void setExpressionResult(const QString &text, bool good);
    QString expression() const;

Q_SIGNALS:
    void openRequested();
    void fileChosen(const QString &path);
    void profileCommandRequested();
    void expressionRequested(const QString &text);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *buildLeft();
    QWidget *buildRight();
    void rebuildSamples();

    std::vector<SampleCard> m_samples;
    QVBoxLayout *m_recent;
    QVBoxLayout *m_machine;
    QGridLayout *m_grid;
    QWidget *m_samplesHead;
    views::SegmentedSwitch *m_groups;
    QLineEdit *m_expression;
    QLabel *m_resultIcon;
    views::TextLabel *m_result;
    int m_columns = 3;
};

} // namespace app
