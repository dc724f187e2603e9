#pragma once

#include <QObject>
#include <QStringList>

#include <atomic>
#include <memory>

namespace views {

struct HistoryRows;

/// Finds the sessions of the script of one session and reads them, in another thread. Who asks again gets the last answer only.
class HistoryJob : public QObject {
    Q_OBJECT
public:
    explicit HistoryJob(QObject *parent = nullptr) : QObject(parent) {}
    ~HistoryJob() override { cancel(); }

    /// `candidates`: sessions that may be of the same script.
    void start(const QString &open, const QStringList &candidates);
    void cancel();
    bool isRunning() const { return m_wanted && !m_wanted->isEnded; }

Q_SIGNALS:
    void found(std::shared_ptr<const views::HistoryRows> rows);
    void failed(const QString &sentence);

private:
    struct Wanted {
        std::atomic<bool> isEnded = false;
    };
    std::shared_ptr<Wanted> m_wanted;
};

} // namespace views
