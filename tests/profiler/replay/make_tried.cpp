// make_tried OUT.croton: a training step with captured calls, of which it was tried what each rewrite is worth and what its steps do.
#include "engine/tensor/clock.h"
#include "profiler/replay/ablate.h"
#include "profiler/replay/along.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/trials.h"
#include "tests/profiler/replay/captured.h"

#include <cstdio>
#include <utility>

using namespace profiler;

int main(int count, char **words)
{
    if (count != 2) {
        std::fprintf(stderr, "make_tried OUT.croton\n");
        return 2;
    }
    const std::string path = words[1];
    const engine::ModelClock clock; // the same times on every machine
    removeSession(path);
    recordTraining(path, 200);
    const TurnOptions few{.seconds = 1, .leastRounds = 7, .mostRounds = 200};
    const auto tried = [&](AblateBy by, bool pairs) {
        const auto reader = SessionReader::open(path);
        return ablate(*reader, {.trial = {.function = "train", .call = {}, .turns = few}, .by = by, .pairs = pairs});
    };
    for (const auto &[by, pairs] : {std::pair(AblateBy::Rewrite, true), {AblateBy::Pass, false}}) {
        const Ablation ablation = tried(by, pairs);
        storeAblation(path, ablation.rows, trialOf(ablation));
    }
    const auto steps = [&] {
        const auto reader = SessionReader::open(path);
        return along(*reader, {.trial = {.function = "train", .call = {}, .turns = few}, .every = 0});
    }();
    storeAlong(path, steps.rows, trialOf(steps));
    return 0;
}
