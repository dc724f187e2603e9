#pragma once

#include <QSyntaxHighlighter>

namespace views {

/// Quiet colouring of Python and of the generated C, CUDA C and OpenCL C. Colours come from the current theme.
class CodeHighlighter : public QSyntaxHighlighter {
    Q_OBJECT
public:
    enum class Language { Python, C };
    enum class Token { Plain, Keyword, Text, Number, Comment, Name };

    CodeHighlighter(Language language, QTextDocument *document);
    void setLanguage(Language language);
    Language language() const { return m_language; }

    struct Span {
        int start = 0;
        int length = 0;
        Token token = Token::Plain;
        friend bool operator==(const Span &, const Span &) = default;
    };
    /// Spans of one line; `state` is 0 outside, 1 and 2 inside a triple-quoted text, 3 inside a C comment.
    static std::vector<Span> spans(Language language, const QString &line, int &state);

protected:
    void highlightBlock(const QString &text) override;

private:
    Language m_language;
};

} // namespace views
