#pragma once

#include "views/common/theme.h"
#include "views/inspector/inspector_charts.h"
#include "views/session/view_feed.h"

#include <QUrl>
#include <QWidget>

#include <optional>
#include <vector>

class QVBoxLayout;
class QPushButton;
class QScrollArea;

namespace views {

class PanelHeader;
class EmptyState;
class MenuButton;

/// Everything the inspector says about the selected thing, ready to be shown.
struct InspectorContent {
    struct ChipText {
        QString text;
        Color ink = Color::TextSecondary;
        Color fill = Color::Sunken;
    };
    struct Figure {
        QString value;
        QString label;
        QString quality; ///< tool tip
    };
    struct Birth {
        int step = 0;
        QString phase;
        QString rewrite;
        QString reason;
        int times = 1; ///< the same rewrite this often in a row, from `step` on
    };
    struct Births { ///< the steps that made it
        std::vector<Birth> rows = {};
        QString note = {}; ///< "5 of 84 steps"
        /// One row for a rewrite that comes several times in a row.
        void add(const Birth &birth);
    };
    struct Line {
        SourceRef source;
        QString text;
        bool estimated = false;
    };
    struct Source {
        std::vector<Line> lines = {};
        QString title = {};             ///< "Descends from" when empty
        std::vector<Line> callers = {}; ///< what called those, the innermost first
        int highestLine() const;
        bool hasSeveralFiles() const;
    };
    struct Input {
        QString slot; ///< "i0"
        QString name;
        QString note; ///< type, or "apply 9"
        QString flag; ///< "destroyed", "view"
        NodeRef node;
    };
    struct Paragraph { ///< "Why", "When it can hurt" …
        QString title;
        QString text;
        bool mono = false;
        QUrl link = {}; ///< opens a file of Croton's sources
    };

    /// A button that does something about it, by a request to the window.
    struct Action {
        QString text;
        Request request;
        QString missing; ///< why it cannot be done now
        bool isPossible() const { return missing.isEmpty(); }
    };
    struct Tip {
        QString title;
        QString evidence;
        QString gain;
        Action action; ///< without text: the script has to change
    };

    struct ValueStep { ///< of a fused apply
        QString op;
        QString lost; ///< "3.2 of 16.0 lost"
        QString born; ///< "nan"
    };
    struct Values {        ///< of one result in a call that was looked at
        QString name = {}; ///< "o1" where there are several
        std::optional<TimesPicture> histogram = {};
        std::vector<QString> alarms = {}, sentences = {};
        QString first = {}; ///< the first elements
        std::vector<ValueStep> steps = {};
    };

    QString heading = {}; ///< "Inspector", "Rewrite"
    QString subject = {}; ///< "apply 14 of train"
    QString title = {};   ///< friendly
    bool monoTitle = false;
    QString exactName = {};
    std::vector<ChipText> chips = {};
    std::vector<Figure> figures = {};
    std::optional<TimesPicture> times = {};
    std::vector<Values> values = {};
    std::vector<Tip> tips = {};
    std::vector<Paragraph> paragraphs = {};
    std::vector<BufferPicture> buffers = {};
    Action action = {}; ///< of a rewrite: to run without it
    Births births = {};
    Source source = {};
    QString phase = {}; ///< of a rewrite: its badge stands before the chips
    std::vector<Input> inputs = {};
    std::vector<Input> outputs = {};
    std::vector<Input> readers = {}; ///< of what it gives: applies, and outputs of the function
    bool hasCode = false;
    QString noCodeReason = {};
    bool hasWhyNot = false;
    QString emptySentence = {}; ///< set when nothing is selected
};

/// The right column: what the selected node or step is, where it came from, what it costs.
class InspectorView : public QWidget {
    Q_OBJECT
public:
    explicit InspectorView(SelectionHub &hub, QWidget *parent = nullptr);
    /// Shows what is selected, unless it is pinned to what was.
    void feed(const ViewFeed &feed);
    /// Makes in the reading thread what it says of single applies.
    static void prepare(const SessionData &session);
    void setContent(const InspectorContent &content);
    const InspectorContent &content() const { return m_content; }

private:
    void showFeed();
    void showWhyNot();
    QWidget *build();
    void addSection(QVBoxLayout *page, const QString &title, const QString &note = {});
    void addTitle(QVBoxLayout *page);
    void addFigures(QVBoxLayout *page);
    void addTimes(QVBoxLayout *page);
    void addValues(QVBoxLayout *page);
    void addTips(QVBoxLayout *page);
    void addParagraphs(QVBoxLayout *page);
    void addBuffers(QVBoxLayout *page);
    QPushButton *actionButton(const InspectorContent::Action &action);
    void addBirths(QVBoxLayout *page);
    void addLines(QVBoxLayout *page);
    void addPorts(QVBoxLayout *page, const QString &title, const std::vector<InspectorContent::Input> &ports);

    SelectionHub &m_hub;
    InspectorContent m_content;
    ViewFeed m_feed;
    ViewFeed m_shown; ///< another one while it is pinned
    bool m_pinned = false;
    PanelHeader *m_header;
    QScrollArea *m_scroll;
    EmptyState *m_empty;
    QWidget *m_footer;
    MenuButton *m_showIn;
    QPushButton *m_code;
    QPushButton *m_whyNot;
    QPushButton *m_action;
};

} // namespace views
