#include "views/code/code_highlighter.h"

#include "views/common/theme.h"

#include <QSet>

namespace views {
namespace {

enum State { kOutside = 0, kTripleSingle = 1, kTripleDouble = 2, kBlockComment = 3 };

const QSet<QString> &keywords(CodeHighlighter::Language language)
{
    static const QSet<QString> python = {"False",  "None",  "True",   "and",    "as",     "assert", "break",    "class", "continue",
                                         "def",    "del",   "elif",   "else",   "except", "exec",   "finally",  "for",   "from",
                                         "global", "if",    "import", "in",     "is",     "lambda", "nonlocal", "not",   "or",
                                         "pass",   "print", "raise",  "return", "try",    "while",  "with",     "yield"};
    static const QSet<QString> c = {"auto",   "break",   "case",    "char",     "const",  "continue",   "default",  "do",
                                    "double", "else",    "enum",    "extern",   "float",  "for",        "goto",     "if",
                                    "inline", "int",     "long",    "restrict", "return", "short",      "signed",   "sizeof",
                                    "static", "struct",  "switch",  "typedef",  "union",  "unsigned",   "void",     "volatile",
                                    "while",  "int32_t", "int64_t", "uint8_t",  "size_t", "__global__", "__kernel", "__restrict__"};
    return language == CodeHighlighter::Language::Python ? python : c;
}

bool isWordStart(QChar c) { return c.isLetter() || c == QLatin1Char('_'); }
bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_'); }

} // namespace

CodeHighlighter::CodeHighlighter(Language language, QTextDocument *document) : QSyntaxHighlighter(document), m_language(language)
{
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &QSyntaxHighlighter::rehighlight);
}

void CodeHighlighter::setLanguage(Language language)
{
    if (language == m_language) return;
    m_language = language;
    rehighlight();
}

std::vector<CodeHighlighter::Span> CodeHighlighter::spans(Language language, const QString &line, int &state)
{
    std::vector<Span> result;
    const int size = static_cast<int>(line.size());
    int at = 0;
    auto add = [&](int from, int to, Token token) {
        if (to > from) result.push_back({from, to - from, token});
    };
    auto closeWith = [&](const QString &mark, int from, int searchFrom, Token token) {
        const auto end = static_cast<int>(line.indexOf(mark, searchFrom));
        const int stop = end < 0 ? size : end + static_cast<int>(mark.size());
        add(from, stop, token);
        at = stop;
        return end >= 0;
    };
    if (state == kBlockComment && closeWith(QStringLiteral("*/"), 0, 0, Token::Comment)) state = kOutside;
    else if (state == kTripleSingle && closeWith(QStringLiteral("'''"), 0, 0, Token::Text)) state = kOutside;
    else if (state == kTripleDouble && closeWith(QStringLiteral("\"\"\""), 0, 0, Token::Text)) state = kOutside;
    if (state != kOutside) return result;
    while (at < size) {
        const QChar c = line[at];
        const QStringView rest = QStringView(line).mid(at);
        if (language == Language::Python && c == QLatin1Char('#')) {
            add(at, size, Token::Comment);
            break;
        }
        if (language == Language::C && rest.startsWith(QLatin1String("//"))) {
            add(at, size, Token::Comment);
            break;
        }
        if (language == Language::C && rest.startsWith(QLatin1String("/*"))) {
            if (!closeWith(QStringLiteral("*/"), at, at + 2, Token::Comment)) state = kBlockComment;
            continue;
        }
        if (language == Language::Python && (rest.startsWith(QLatin1String("'''")) || rest.startsWith(QLatin1String("\"\"\"")))) {
            const bool single = c == QLatin1Char('\'');
            if (!closeWith(single ? QStringLiteral("'''") : QStringLiteral("\"\"\""), at, at + 3, Token::Text))
                state = single ? kTripleSingle : kTripleDouble;
            continue;
        }
        if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
            int end = at + 1;
            while (end < size && line[end] != c) end += line[end] == QLatin1Char('\\') ? 2 : 1;
            end = std::min(end + 1, size);
            add(at, end, Token::Text);
            at = end;
            continue;
        }
        if (c.isDigit()) {
            int end = at + 1;
            while (end < size && (isWordPart(line[end]) || line[end] == QLatin1Char('.'))) ++end;
            add(at, end, Token::Number);
            at = end;
            continue;
        }
        if (isWordStart(c)) {
            int end = at + 1;
            while (end < size && isWordPart(line[end])) ++end;
            if (keywords(language).contains(line.mid(at, end - at))) add(at, end, Token::Keyword);
            at = end;
            continue;
        }
        if (language == Language::C && c == QLatin1Char('#')) {
            add(at, size, Token::Name);
            break;
        }
        if (language == Language::Python && c == QLatin1Char('@')) {
            int end = at + 1;
            while (end < size && (isWordPart(line[end]) || line[end] == QLatin1Char('.'))) ++end;
            add(at, end, Token::Name);
            at = end;
            continue;
        }
        ++at;
    }
    return result;
}

void CodeHighlighter::highlightBlock(const QString &text)
{
    int state = std::max(0, previousBlockState());
    const Theme &theme = Theme::current();
    for (const Span &span : spans(m_language, text, state)) {
        QTextCharFormat format;
        switch (span.token) {
        case Token::Keyword: format.setForeground(theme.color(Color::PhaseCanonicalize)); break;
        case Token::Text: format.setForeground(theme.color(Color::Ok)); break;
        case Token::Comment: format.setForeground(theme.color(Color::TextMuted)); break;
        case Token::Name: format.setForeground(theme.color(Color::Compile)); break;
        case Token::Number: format.setForeground(theme.color(Color::Input)); break;
        case Token::Plain: break;
        }
        setFormat(span.start, span.length, format);
    }
    setCurrentBlockState(state);
}

} // namespace views
