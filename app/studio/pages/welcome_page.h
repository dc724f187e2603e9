#pragma once

#include <QWidget>

#include <vector>

class QBoxLayout;
class QLineEdit;
class QVBoxLayout;
class QGridLayout;
class QLabel;

namespace views {
class ChoiceTabs;
class EmptyState;
class TextLabel;
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
    QString sees;  ///< what will be seen, in a sentence or two
    QString group; ///< "first", "models", "loops", "numerics", "devices", "large"
    QStringList tags;
    QString file;   ///< the script, or a recorded session where there is one
    QString script; ///< what can be run
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
    QString values() const; ///< of its inputs, as they were typed
    /// The samples that answer the search, by title.
    QStringList shownSamples() const;

Q_SIGNALS:
    void openRequested();
    void fileChosen(const QString &path);
    void sampleChosen(const QString &path); ///< its recorded session, or its script where it has none
    void profileRequested();                ///< of a script that is still to be chosen
    void runRequested(const QString &script);
    void compareRequested();
    void learnRequested();
    void expressionRequested(const QString &text);
    void valuesRequested(const QString &text, const QString &values);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *buildLeft();
    QWidget *buildRight();
    QWidget *buildExpression();
    QWidget *buildSamplesHead();
    void rebuildSamples();
    void arrange();

    std::vector<SampleCard> m_samples;
    QVBoxLayout *m_recent;
    QVBoxLayout *m_machine;
    QGridLayout *m_grid;
    QWidget *m_left;
    QVBoxLayout *m_leftPage;
    QVBoxLayout *m_rightPage;
    QWidget *m_samplesHead;
    QBoxLayout *m_headLine;
    QBoxLayout *m_valuesLine;
    QLineEdit *m_search;
    views::EmptyState *m_noSample;
    views::ChoiceTabs *m_groups;
    QLineEdit *m_expression;
    QLineEdit *m_values;
    QLabel *m_resultIcon;
    views::TextLabel *m_result;
    int m_columns = 3;
};

} // namespace app
