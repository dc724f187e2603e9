#pragma once

#include "app/studio/dialogs/rewrites_dialog.h"
#include "app/studio/run/run_settings.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QMenu;
class QPushButton;
class QToolButton;

namespace views {
class ElidedLabel;
class LabeledCombo;
class SegmentedSwitch;
} // namespace views

namespace app {

/// A device of this machine or of the session, and why it cannot be used.
struct DeviceChoice {
    QString name;  ///< "cpu", "cuda0"
    QString title; ///< "CPU", "GPU cuda0"
    bool available = true;
    QString reason;
};

/// A workspace of the switch, and why it cannot be entered.
struct WorkspaceChoice {
    QString id;
    QString title;
    QString icon;
    QString missing;
};

/// Top bar: history, workspaces, Run, what the next run is set to, and the exact command line of it.
class RunBar : public QWidget {
    Q_OBJECT
public:
    explicit RunBar(QWidget *parent = nullptr);

    RunSettings settings() const { return m_settings; }
    void setSettings(const RunSettings &settings);
    /// What the script, a file or a variable of the environment sets. A file's or variable's value becomes the setting; a script's is shown
    /// in its place, for it wins.
    void setGiven(const GivenFlags &given);
    void setWorkspaces(const std::vector<WorkspaceChoice> &workspaces);
    void setDevices(const std::vector<DeviceChoice> &devices);
    /// Rewrites that can be switched off.
    void setRewrites(std::vector<RewriteChoice> rewrites);
    const std::vector<RewriteChoice> &rewrites() const { return m_choices; }
    /// How far the run is, 0 … 1; below 0 where that is unknown.
    void setProgress(double share);
    /// The script a run would start; empty disables Run with a reason.
    void setScript(const QString &script, const QString &reason = {});
    void setCommandLine(const QString &line);
    void setRunning(bool running);
    void setHistory(bool canGoBack, bool canGoForward);
    void setWorkspace(const QString &workspace);
    QString workspace() const;
    views::SegmentedSwitch *workspaces() const { return m_workspaces; }
    QString commandLine() const;

Q_SIGNALS:
    void backRequested();
    void forwardRequested();
    void workspaceChanged(const QString &workspace);
    void runRequested();
    void stopRequested();
    void settingsChanged(const app::RunSettings &settings);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();
    /// The value of a box, or what the script sets in its place.
    void showValue(views::LabeledCombo *combo, const QString &flag, const QVariant &value, const QString &text);
    const GivenFlag *byScript(const QString &flag) const;
    QString tipOfScript(const QString &flag) const;
    void arrange();
    void fillMore();
    void editRewrites();

    RunSettings m_settings;
    GivenFlags m_given;
    bool m_running = false;
    bool m_hasScript = false;
    bool m_refreshing = false;
    QString m_noScriptReason;
    QString m_commandLine;
    std::vector<RewriteChoice> m_choices;
    double m_progress = -1;
    QToolButton *m_back;
    QToolButton *m_forward;
    views::SegmentedSwitch *m_workspaces;
    QPushButton *m_run;
    views::LabeledCombo *m_device;
    views::LabeledCombo *m_mode;
    views::LabeledCombo *m_floatX;
    views::LabeledCombo *m_threads;
    views::LabeledCombo *m_repeat;
    QCheckBox *m_blocking;
    QCheckBox *m_allowGc;
    QPushButton *m_rewrites;
    QToolButton *m_more;
    views::ElidedLabel *m_command;
    QToolButton *m_copy;
};

} // namespace app
