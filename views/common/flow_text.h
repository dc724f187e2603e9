#pragma once

#include <QTextBrowser>

class QTextDocument;

namespace views {

/// Room between paragraphs, and a ground under blocks of code: Markdown as the studio shows it.
void dressMarkdown(QTextDocument &document, int margin);

/// Markdown as high as it needs to be, to stand among other things in a column that scrolls. Its links are told, never opened.
class FlowText : public QTextBrowser {
    Q_OBJECT
public:
    explicit FlowText(QWidget *parent = nullptr);
    void setText(const QString &markdown);
    QString markdown() const { return m_markdown; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    void render();
    QString m_markdown;
};

} // namespace views
