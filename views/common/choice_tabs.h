#pragma once

#include <QWidget>

namespace views {

class LabeledCombo;
class SegmentedSwitch;

/// Exclusive choices side by side, or one box with all of them where there is no room to write each out.
class ChoiceTabs : public QWidget {
    Q_OBJECT
public:
    /// `name` is what assistive tools call the choice.
    explicit ChoiceTabs(const QString &name, QWidget *parent = nullptr);
    void addChoice(const QString &id, const QString &text);
    void setChoiceEnabled(const QString &id, bool enabled, const QString &reason = {});
    bool hasChoice(const QString &id) const;
    QString current() const;
    /// The place around it says how much of it is for the choices.
    void fitInto(int room) { setBox(wholeWidth() > room); }
    void setBox(bool box);
    bool isBox() const;
    int wholeWidth() const; ///< of all choices side by side
    int boxWidth() const;

public Q_SLOTS:
    void setCurrent(const QString &id);

Q_SIGNALS:
    void currentChanged(const QString &id);

private:
    SegmentedSwitch *m_switch;
    LabeledCombo *m_box;
};

} // namespace views
