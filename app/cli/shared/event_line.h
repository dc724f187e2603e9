#pragma once
// Tells a program that started us how far we are: a JSON line on the descriptor of --events-fd. Without it nothing is told.

#include "app/cli/shared/command.h"

#include <string>

namespace app {

class EventLine {
public:
    // Throws UsageError where it names no open descriptor.
    explicit EventLine(const Arguments &arguments);
    void progress(const std::string &text, double done = -1, double total = -1) const;
    static Option option();

private:
    int m_descriptor = -1;
};

} // namespace app
