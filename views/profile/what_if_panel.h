#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/machine/headroom.h"
#include "views/session/session_data.h"
#endif

#include <QWidget>

#include <map>
#include <memory>
#include <vector>

class QCheckBox;
class QPushButton;
class QVBoxLayout;

namespace views {

class Chip;
class LabeledCombo;
class MeasureStrip;
class RoofPicture;
class SelectionHub;
class TextLabel;
class WhatIfSlider;

/// How fast the functions of a session could be. Immutable; made in the reading thread.
struct Headrooms {
    explicit Headrooms(const SessionData &session);
    std::map<profiler::FunctionId, profiler::Headroom> functions; ///< only those that were called
};

/// A call now and at the roofs of the machine, and what it would take were something otherwise.
class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    WhatIfPanel(SelectionHub &hub, std::shared_ptr<const SessionData> session, const profiler::Headroom &room, bool canRun,
                QWidget *parent = nullptr);

    profiler::FunctionId function() const { return m_room.function; }
    /// What is chosen now.
    profiler::WhatIf change() const;
    /// What of it is offered here.
    void choose(const profiler::WhatIf &change);
    QString headline() const;
    QString answer() const;
    const std::vector<WhatIfSlider *> &ops() const { return m_ops; }
    const std::vector<QCheckBox *> &transfers() const { return m_transfers; }
    WhatIfSlider *threads() const { return m_threads; }
    LabeledCombo *device() const { return m_device; }
    RoofPicture *picture() const { return m_picture; }
    /// What a run found of what is chosen; empty: none was asked.
    QString verified() const;
    /// What runs found so far.
    QString runs() const;
    /// What a run can be asked for: "threads=4,device=cuda0"; empty: nothing of it.
    QString flags() const;
    QPushButton *verify() const { return m_verify; }
    /// Measures the roofs of the device that is chosen; hidden where they are known.
    QPushButton *measureRoofs() const { return m_measureRoofs; }

private:
    void refresh();
    void addPicture(QVBoxLayout *layout);
    void addChoices(QVBoxLayout *layout);
    void addTransfers(QVBoxLayout *layout);
    void addThreads(QVBoxLayout *layout);
    void addDevices(QVBoxLayout *layout);
    void offerDevices();
    void addAnswer(QVBoxLayout *layout);
    void sayWhatChoicesMean(const profiler::WhatIf &change);
    void sayWhatRunsFound(const profiler::WhatIf &change);
    void refreshButtons(bool isKnown);

    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session; ///< keeps the headroom
    const profiler::Headroom &m_room;
    bool m_canRun;
    TextLabel *m_headline;
    RoofPicture *m_picture;
    Chip *m_predictedChip;
    Chip *m_verifiedChip;
    TextLabel *m_answer;
    TextLabel *m_verified;
    TextLabel *m_runs;
    MeasureStrip *m_strip;
    std::vector<WhatIfSlider *> m_ops; ///< of the applies that could save most, in their order
    std::vector<profiler::ApplyKey> m_offered;
    std::vector<QCheckBox *> m_transfers; ///< those that take most, then all others together
    std::vector<std::vector<profiler::ApplyKey>> m_copies;
    std::vector<int> m_counts; ///< of threads, by step
    WhatIfSlider *m_threads;
    LabeledCombo *m_device;
    QString m_deviceNow;
    QPushButton *m_verify;
    QPushButton *m_measureRoofs;
};

} // namespace views
