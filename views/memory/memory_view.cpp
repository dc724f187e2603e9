#include "views/memory/memory_view.h"

#include "views/common/choice_tabs.h"
#include "views/common/picture_panel.h"
#include "views/common/view_words.h"
#include "views/memory/choices_page.h"
#include "views/memory/memory_canvas.h"
#include "views/session/function_name.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace views {

MemoryView::MemoryView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub)
{
    m_canvas = new MemoryCanvas;
    m_choices = new ChoicesPage(hub);
    m_pictures = new QStackedWidget;
    m_pictures->addWidget(m_canvas);
    m_pictures->addWidget(m_choices);
    m_canvas->setAccessibleName(tr("Memory"));
    m_panel = new PicturePanel(tr("Memory"), m_pictures);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_panel);
    m_picture = new ChoiceTabs(tr("What of the memory is shown"));
    m_picture->addChoice(QStringLiteral("lifetimes"), tr("One call"));
    m_picture->addChoice(QStringLiteral("arena"), tr("Arena"));
    m_picture->addChoice(QStringLiteral("time"), tr("Over time"));
    m_picture->addChoice(QStringLiteral("could"), tr("What could be"));
    m_panel->addLeft(m_picture);
    m_picture->setCurrent(QStringLiteral("lifetimes"));
    connect(m_picture, &ChoiceTabs::currentChanged, this, &MemoryView::refresh);
    connect(m_canvas, &MemoryCanvas::chosenByPerson, this, [this](int lifetime) {
        m_panel->selectKey(lifetime);
        select(lifetime);
    });
    connect(m_panel, &PicturePanel::keyChosen, this, [this](qint64 lifetime) {
        if (isChoices()) {
            const std::int64_t apply = lifetime - ChoicesRows::kRepeats;
            if (apply >= 0) m_hub.selectApply(apply);
            return;
        }
        if (m_picture->current() == QLatin1String("time")) return;
        m_canvas->setChosen(static_cast<int>(lifetime));
        select(static_cast<int>(lifetime));
    });
    connect(m_choices, &ChoicesPage::changed, this, [this] {
        if (isChoices()) m_panel->setTable(m_choices->table());
    });
    connect(m_choices, &ChoicesPage::busyChanged, this, [this](bool busy) { setBusy(this, busy); });
    connect(m_panel, &PicturePanel::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    refresh();
}

void MemoryView::obey(const Request &request)
{
    const auto *wanted = std::get_if<ShowPicture>(&request);
    if (!wanted) return;
    choose(wanted->name);
    if (!wanted->value.isEmpty()) m_choices->wantBudget(wanted->value.toLongLong());
}

void MemoryView::choose(const QString &picture) { m_picture->setCurrent(picture); }

void MemoryView::feed(const ViewFeed &feed)
{
    if (feed.hasNew(FeedPart::Opened | FeedPart::Session)) {
        m_session = feed.session;
        m_rows = m_session ? &m_session->derived<MemoryRows>() : nullptr;
    }
    m_function = feed.function;
    m_canRun = feed.canRun;
    if (feed.hasNewFunction() || feed.hasNew(FeedPart::Run)) refresh();
    if (isChoices()) return;
    const MemoryRows::OfFunction *function = m_rows ? m_rows->of(m_function) : nullptr;
    if (!function || !(feed.selected & SelectionPart::Node) || m_picture->current() == QLatin1String("time")) return;
    // The piece that the selected node makes or shares.
    const NodeRef node = feed.selection.node;
    const auto &lives = function->memory.lifetimes;
    const auto standsFor = [&](const profiler::Lifetime &life) {
        return node.kind == NodeKind::Apply ? raw(life.maker.apply) == node.id : raw(life.variable) == node.id;
    };
    const int now = m_canvas->chosen();
    if (node.isValid() && now >= 0 && standsFor(lives[static_cast<std::size_t>(now)])) return;
    int found = -1;
    for (std::size_t i = 0; node.isValid() && i < lives.size() && found < 0; ++i)
        if (standsFor(lives[i])) found = static_cast<int>(i);
    m_canvas->setChosen(found);
    m_panel->selectKey(found);
}

bool MemoryView::isChoices() const { return m_picture->current() == QLatin1String("could"); }

// Worked out when somebody looks: it takes a while for a large function.
void MemoryView::refreshChoices()
{
    m_pictures->setCurrentWidget(m_choices);
    const bool called = m_function && m_function->run.calls > 0;
    m_choices->setCanRun(m_canRun);
    m_choices->setFunction(called ? m_session : nullptr, called ? m_function : nullptr);
    m_panel->setTable(m_choices->table());
    m_panel->setCaption(m_function ? tr("%1 · most that a call takes").arg(functionName(*m_function)) : QString());
}

void MemoryView::refresh()
{
    const bool overTime = m_picture->current() == QLatin1String("time");
    const MemoryPicture picture = overTime                                         ? MemoryPicture::OverTime
                                  : m_picture->current() == QLatin1String("arena") ? MemoryPicture::Arena
                                                                                   : MemoryPicture::Lifetimes;
    const MemoryRows::OfFunction *function = m_rows ? m_rows->of(m_function) : nullptr;
    m_canvas->setContents(picture, m_rows ? std::shared_ptr<const MemoryRows>(m_session, m_rows) : nullptr, function);
    const bool measured = m_rows && !m_rows->events.empty();
    if (!m_rows || (!function && !measured)) {
        m_panel->setEmpty(QStringLiteral("memory"),
                          m_session ? tr("No function was called yet, so no memory was planned or measured.") : tr("No session is open."),
                          m_canRun ? tr("Run") : QString());
        return;
    }
    m_panel->setEmpty({}, {});
    m_picture->setChoiceEnabled(QStringLiteral("time"), measured, tr("This session holds no measured memory"));
    const QString notCalled = m_function ? tr("%1 was not called").arg(functionName(*m_function)) : tr("No function is selected");
    for (const char *id : {"lifetimes", "arena"}) m_picture->setChoiceEnabled(QLatin1String(id), function, notCalled);
    if (isChoices()) return refreshChoices();
    m_pictures->setCurrentWidget(m_canvas);
    m_panel->setTable(overTime ? m_rows->overTimeTable() : function ? MemoryRows::table(*function) : TextTable{});
    m_panel->setCaption(overTime ? m_rows->overTimeCaption() : function ? MemoryRows::caption(*function) : notCalled);
}

void MemoryView::select(int lifetime)
{
    const MemoryRows::OfFunction *function = m_rows ? m_rows->of(m_function) : nullptr;
    if (!function || lifetime < 0 || static_cast<std::size_t>(lifetime) >= function->memory.lifetimes.size()) return;
    const profiler::Lifetime &life = function->memory.lifetimes[static_cast<std::size_t>(lifetime)];
    if (life.maker.apply != profiler::kNoApply) m_hub.selectApply(raw(life.maker.apply));
    else m_hub.select(m_hub.selection().atOptimized(NodeKind::Variable, raw(life.variable)));
}

} // namespace views
