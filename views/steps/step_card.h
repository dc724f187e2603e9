// What one step changed: the replaced part before and after it, or its reasons as text.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/model/model_rewrite.h"
#include "views/steps/step_region.h"
#endif

#include <QUrl>
#include <QWidget>

#include <optional>

class QStackedWidget;
class QTextBrowser;

namespace views {

class EmptyState;
class GraphCanvas;
class SegmentedSwitch;
class TextLabel;
class ElidedLabel;

struct StepCardContent {
    profiler::StepInfo step;
    std::optional<profiler::RewriteInfo> rewrite; // of the catalogue
    StepRegion region;
    std::optional<std::int64_t> bytesMore; // that results take after the step; nullopt: not known
};

class StepCard : public QWidget {
    Q_OBJECT
public:
    explicit StepCard(QWidget *parent = nullptr);

    void setContent(StepCardContent content);
    // No step is shown: says why.
    void setEmpty(const QString &sentence);
    [[nodiscard]] GraphCanvas *beforeCanvas() const { return m_before; }
    [[nodiscard]] GraphCanvas *afterCanvas() const { return m_after; }
    // "5 applies in, 1 out · 6.4 kB less"
    [[nodiscard]] static QString sentence(const StepCardContent &content);
    // Why, checks, when it can hurt, example: HTML with the theme's colours.
    [[nodiscard]] static QString explanation(const StepCardContent &content);

    [[nodiscard]] QSize sizeHint() const override { return {700, 260}; }

Q_SIGNALS:
    void nodeClicked(views::SceneKey key, bool before);
    void sourceClicked(const QUrl &link); ///< of linkToSource()

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    StepCardContent m_content;
    QWidget *m_card;
    QWidget *m_badge;
    QWidget *m_pictures;
    EmptyState *m_tooLarge;
    TextLabel *m_title;
    ElidedLabel *m_sentence;
    SegmentedSwitch *m_switch;
    QStackedWidget *m_pages;
    GraphCanvas *m_before, *m_after;
    QTextBrowser *m_text;
    EmptyState *m_empty;
};

} // namespace views
