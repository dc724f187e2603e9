#include "profiler/replay/captured.h"
#include "profiler/replay/replay.h"
#include "profiler/session/store/database.h"
#include "tests/profiler/replay/captured.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace profiler;

namespace {

const CapturedValue &valueOf(const CallView &view, CapturedRole role, int position = 0)
{
    for (const CapturedValue &value : view.values)
        if (value.role == role && value.position == position) return value;
    throw std::runtime_error("no such value");
}

std::vector<double> doubles(SessionReader &reader, const CapturedValue &value)
{
    const CapturedArray array = readArray(reader, value);
    std::vector<double> result(array.bytes.size() / 8);
    std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
    return result;
}

std::vector<double> doubles(const engine::Tensor &tensor) { return {tensor.as<double>(), tensor.as<double>() + tensor.size()}; }

TEST(Capture, isOffUnlessAskedFor)
{
    const Scratch scratch;
    recordTraining(scratch / "a.croton", 3, {});
    const auto reader = SessionReader::open(scratch / "a.croton");
    EXPECT_TRUE(capturedCalls(*reader).empty());
    EXPECT_TRUE(reader->capturedFunctions().empty());
    try {
        (void)chooseCall(*reader, "train");
        FAIL();
    } catch (const SessionError &error) {
        EXPECT_NE(error.hint().find("--capture"), std::string::npos);
    }
}

TEST(Capture, keepsTheFirstTheSlowestAndChosenCallsWithValuesFromBeforeThem)
{
    const Scratch scratch;
    const Training training = recordTraining(scratch / "a.croton", 110, {.isOn = true, .chosen = 2});
    const auto reader = SessionReader::open(scratch / "a.croton");
    const std::vector<CallView> views = capturedCalls(*reader);
    std::map<std::int64_t, CaptureReason> reasons;
    for (const CallView &view : views) {
        reasons[view.call.call] = view.call.reason;
        EXPECT_EQ(view.functionName, "train");
        EXPECT_GT(view.call.ns, 0);
        const auto call = static_cast<std::size_t>(view.call.call);
        EXPECT_EQ(doubles(*reader, valueOf(view, CapturedRole::Input, 0)), doubles(training.inputs[0].tensor()));
        EXPECT_EQ(valueOf(view, CapturedRole::Input, 0).name, "x");
        EXPECT_EQ(valueOf(view, CapturedRole::Input, 0).shape, "20,7");
        EXPECT_EQ(doubles(*reader, valueOf(view, CapturedRole::Shared)), doubles(training.before[call])) << call;
        EXPECT_EQ(doubles(*reader, valueOf(view, CapturedRole::Output, 0)).at(0), training.costs[call]);
        const engine::Tensor after = call + 1 < training.before.size() ? training.before[call + 1] : training.value();
        EXPECT_EQ(doubles(*reader, valueOf(view, CapturedRole::Update)), doubles(after)) << call;
    }
    EXPECT_EQ(reasons.at(0), CaptureReason::First);
    EXPECT_TRUE(reasons.contains(9) && reasons.contains(99));
    int slowest = 0;
    for (const auto &[call, reason] : reasons) slowest += reason == CaptureReason::Slowest;
    EXPECT_EQ(slowest, 1);
    EXPECT_LE(reasons.size(), 4u);
}

TEST(Capture, arraysOfTheSameContentAreThereOnce)
{
    const Scratch scratch;
    recordTraining(scratch / "a.croton", 20);
    Database database(scratch / "a.croton", Database::Access::Read);
    const std::int64_t names = database.integer("SELECT count(*) FROM captured_values WHERE array_key<>''");
    const std::int64_t kept = database.integer("SELECT count(DISTINCT array_key) FROM captured_arrays");
    EXPECT_LT(kept, names);
    EXPECT_EQ(database.integer("SELECT count(*) FROM captured_arrays WHERE array_key NOT IN (SELECT array_key FROM captured_values UNION "
                               "SELECT document FROM captured_functions)"),
              0);
}

TEST(Capture, whatIsTooLargeIsStatisticsAndASentence)
{
    const Scratch scratch;
    const Training training = recordTraining(scratch / "a.croton", 3, {.isOn = true, .limitBytes = 500});
    const auto reader = SessionReader::open(scratch / "a.croton");
    const CallView view = chooseCall(*reader, "train", 0);
    const CapturedValue &x = valueOf(view, CapturedRole::Input, 0); // 20 x 7 doubles
    EXPECT_EQ(x.array, "");
    EXPECT_NE(x.reason.find("--capture-limit"), std::string::npos);
    EXPECT_EQ(x.counted, 140);
    double sum = 0;
    for (const double value : doubles(training.inputs[0].tensor())) sum += value;
    EXPECT_NEAR(x.mean, sum / 140, 1e-12);
    EXPECT_NEAR(x.min, -0.1, 1e-12);
    EXPECT_NE(valueOf(view, CapturedRole::Input, 1).array, ""); // 160 bytes
    EXPECT_NE(reader->whyDropped("captured arrays"), "");
    EXPECT_THROW((void)readArray(*reader, x), SessionError);
    const LoadedCall call = loadCall(*reader, "train", 0);
    ASSERT_EQ(call.placeholders.size(), 1u);
    EXPECT_NE(call.placeholders[0].find("input x"), std::string::npos);
    EXPECT_EQ(call.inputs[0].tensor().shape(), (engine::Dims{20, 7}));
    EXPECT_GE(call.inputs[0].tensor().at(0), x.min);
    EXPECT_FALSE(call.outputs[0].has_value()); // nothing to compare with
}

TEST(Capture, damageIsASentence)
{
    const Scratch scratch;
    recordTraining(scratch / "whole.croton", 3);
    std::mt19937 random(11);
    int sentences = 0, rounds = 0;
    const char *const columns[] = {"captured_arrays.data",      "captured_values.shape",     "captured_values.dtype",
                                   "captured_values.array_key", "captured_arrays.bytes",     "captured_functions.document",
                                   "captured_arrays.part",      "captured_functions.outputs"};
    for (const std::string column : columns) {
        const std::string table = column.substr(0, column.find('.')), name = column.substr(column.find('.') + 1);
        for (const char *value :
             {"7", "-1", "''", "'9,9'", "'999999999999,99999999'", "'float32'", "zeroblob(40)", "x'0401'", "'aa-20'", "NULL"}) {
            std::filesystem::copy_file(scratch / "whole.croton", scratch / "a.croton", std::filesystem::copy_options::overwrite_existing);
            try {
                Database(scratch / "a.croton", Database::Access::Write).execute("UPDATE OR IGNORE " + table + " SET " + name + "=" + value);
            } catch (const SessionError &) {
                continue; // NOT NULL held
            }
            ++rounds;
            try {
                const auto reader = SessionReader::open(scratch / "a.croton");
                (void)loadCall(*reader, "train", 0);
            } catch (const SessionError &error) {
                EXPECT_NE(std::string(error.what()), "");
                ++sentences;
            }
        }
    }
    EXPECT_GT(sentences, rounds / 2);
    // Any byte of an array: the key tells, unless nothing is read otherwise.
    std::filesystem::copy_file(scratch / "whole.croton", scratch / "a.croton", std::filesystem::copy_options::overwrite_existing);
    const std::string key = [&] {
        const auto reader = SessionReader::open(scratch / "a.croton");
        return valueOf(chooseCall(*reader, "train", 0), CapturedRole::Input, 0).array;
    }();
    int told = 0;
    const std::vector<double> whole = [&] {
        const auto reader = SessionReader::open(scratch / "a.croton");
        return doubles(*reader, valueOf(chooseCall(*reader, "train", 0), CapturedRole::Input, 0));
    }();
    std::vector<std::uint8_t> data;
    {
        Database database(scratch / "a.croton", Database::Access::Write);
        Statement select(database, "SELECT data FROM captured_arrays WHERE array_key=?");
        select.bindAll(key);
        ASSERT_TRUE(select.step());
        data.assign(select.blob(0).begin(), select.blob(0).end());
    }
    for (int round = 0; round < 60; ++round) {
        auto damaged = data;
        damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
        Statement(*std::make_unique<Database>(scratch / "a.croton", Database::Access::Write),
                  "UPDATE captured_arrays SET data=? WHERE array_key=?")
            .run(damaged, key);
        const auto reader = SessionReader::open(scratch / "a.croton");
        const CapturedValue x = valueOf(chooseCall(*reader, "train", 0), CapturedRole::Input, 0);
        try {
            EXPECT_EQ(doubles(*reader, x), whole);
        } catch (const SessionError &) {
            ++told;
        }
    }
    EXPECT_GT(told, 50);
}

TEST(Capture, aChoiceThatIsNotThereNamesThoseThatAre)
{
    const Scratch scratch;
    recordTraining(scratch / "a.croton", 12);
    const auto reader = SessionReader::open(scratch / "a.croton");
    EXPECT_EQ(chooseCall(*reader, "").call.call, 9); // the chosen one
    try {
        (void)chooseCall(*reader, "train", 5'000);
        FAIL();
    } catch (const SessionError &error) {
        EXPECT_EQ(std::string(error.what()), "call 5000 was not captured");
        EXPECT_NE(error.hint().find("those that were: 0"), std::string::npos);
    }
    try {
        (void)chooseCall(*reader, "predict");
        FAIL();
    } catch (const SessionError &error) {
        EXPECT_EQ(error.hint(), "there are calls of 'train'");
    }
}

} // namespace
