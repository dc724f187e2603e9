#include "views/common/counted.h"

#include "views/common/formats.h"
#include "views/common/text.h"

namespace views::formats {

namespace {

struct Words {
    Thing thing;
    const char *one;
    const char *more;
};

constexpr Words kWords[] = {
    {Thing::Apply, QT_TRANSLATE_NOOP("formats", "1 apply"), QT_TRANSLATE_NOOP("formats", "%1 applies")},
    {Thing::Call, QT_TRANSLATE_NOOP("formats", "1 call"), QT_TRANSLATE_NOOP("formats", "%1 calls")},
    {Thing::Class, QT_TRANSLATE_NOOP("formats", "1 class"), QT_TRANSLATE_NOOP("formats", "%1 classes")},
    {Thing::Copy, QT_TRANSLATE_NOOP("formats", "1 copy"), QT_TRANSLATE_NOOP("formats", "%1 copies")},
    {Thing::Device, QT_TRANSLATE_NOOP("formats", "1 device"), QT_TRANSLATE_NOOP("formats", "%1 devices")},
    {Thing::Element, QT_TRANSLATE_NOOP("formats", "1 element"), QT_TRANSLATE_NOOP("formats", "%1 elements")},
    {Thing::Event, QT_TRANSLATE_NOOP("formats", "1 event"), QT_TRANSLATE_NOOP("formats", "%1 events")},
    {Thing::Frame, QT_TRANSLATE_NOOP("formats", "1 frame"), QT_TRANSLATE_NOOP("formats", "%1 frames")},
    {Thing::Function, QT_TRANSLATE_NOOP("formats", "1 function"), QT_TRANSLATE_NOOP("formats", "%1 functions")},
    {Thing::Line, QT_TRANSLATE_NOOP("formats", "1 line"), QT_TRANSLATE_NOOP("formats", "%1 lines")},
    {Thing::Module, QT_TRANSLATE_NOOP("formats", "1 module"), QT_TRANSLATE_NOOP("formats", "%1 modules")},
    {Thing::Narrower, QT_TRANSLATE_NOOP("formats", "1 narrower one"), QT_TRANSLATE_NOOP("formats", "%1 narrower ones")},
    {Thing::Node, QT_TRANSLATE_NOOP("formats", "1 node"), QT_TRANSLATE_NOOP("formats", "%1 nodes")},
    {Thing::Op, QT_TRANSLATE_NOOP("formats", "1 op"), QT_TRANSLATE_NOOP("formats", "%1 ops")},
    {Thing::Other, QT_TRANSLATE_NOOP("formats", "1 other"), QT_TRANSLATE_NOOP("formats", "%1 others")},
    {Thing::Pair, QT_TRANSLATE_NOOP("formats", "1 pair"), QT_TRANSLATE_NOOP("formats", "%1 pairs")},
    {Thing::Rewrite, QT_TRANSLATE_NOOP("formats", "1 rewrite"), QT_TRANSLATE_NOOP("formats", "%1 rewrites")},
    {Thing::Run, QT_TRANSLATE_NOOP("formats", "1 run"), QT_TRANSLATE_NOOP("formats", "%1 runs")},
    {Thing::Session, QT_TRANSLATE_NOOP("formats", "1 session"), QT_TRANSLATE_NOOP("formats", "%1 sessions")},
    {Thing::Step, QT_TRANSLATE_NOOP("formats", "1 step"), QT_TRANSLATE_NOOP("formats", "%1 steps")},
    {Thing::Thread, QT_TRANSLATE_NOOP("formats", "1 thread"), QT_TRANSLATE_NOOP("formats", "%1 threads")},
    {Thing::Time, QT_TRANSLATE_NOOP("formats", "once"), QT_TRANSLATE_NOOP("formats", "%1 times")},
};

constexpr bool areInOrder()
{
    int at = 0;
    for (const Words &words : kWords)
        if (static_cast<int>(words.thing) != at++) return false;
    return at == static_cast<int>(Thing::Time) + 1;
}
static_assert(areInOrder());

} // namespace

QString counted(std::int64_t n, Thing thing)
{
    const Words &words = kWords[static_cast<int>(thing)];
    return n == 1 ? tr(words.one) : tr(words.more).arg(count(n));
}

} // namespace views::formats
