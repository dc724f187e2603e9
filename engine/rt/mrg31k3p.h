/* Random numbers of many streams of the generator MRG31k3p, the streams taking turns: sample i comes from stream i % streams. */
#pragma once

#include "engine/rt/rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The samples of streams first … last - 1 among `count` ones. A stream is six numbers, which move on. `dtype`: RT_D_F32 and RT_D_F64 give
   numbers in ]0, 1[, RT_D_I32 those of the generator, 1 … 2^31 - 1. */
typedef void (*RtMrg31k3p)(int *states, long streams, long first, long last, void *samples, long count, RtDType dtype);
/* That of the level of this process. */
RtMrg31k3p rt_mrg31k3p(void);
/* By level name, null if this processor cannot run it: for tests. */
RtMrg31k3p rt_mrg31k3p_at(const char *level);

#ifdef __cplusplus
}
#endif
