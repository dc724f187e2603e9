// Words of the expression notation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct NotationToken {
    enum class Kind {
        End,
        Separator, ///< ';' or the end of a line outside of brackets
        Name,
        Integer,
        Real,
        Text,     ///< 'quoted'
        Constant, ///< TensorConstant{…}: the text between the braces
        Symbol,   ///< operator or bracket
    };
    Kind kind = Kind::End;
    std::string text;
    int line = 1;
    int column = 1;
};

/// Throws NotationError for characters that belong to nothing, open brackets and quotes, and too long texts.
std::vector<NotationToken> splitNotation(std::string_view text);

} // namespace engine
