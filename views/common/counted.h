#pragma once

#include <QString>

#include <cstdint>

namespace views::formats {

enum class Thing {
    Apply,
    Call,
    Class,
    Copy,
    Device,
    Element,
    Event,
    Frame,
    Function,
    Line,
    Module,
    Narrower,
    Node,
    Op,
    Other,
    Pair,
    Rewrite,
    Run,
    Session,
    Step,
    Thread,
    Time,
};

/// "1 call", "10 002 calls": how many, and the word in its number.
QString counted(std::int64_t count, Thing thing);

} // namespace views::formats
