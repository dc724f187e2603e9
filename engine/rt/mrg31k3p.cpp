// MRG31k3p, as many streams at a time as a vector holds: their states stay in registers from sample to sample.
#include "engine/rt/mrg31k3p.h"
#include "engine/rt/level.h"

namespace {

constexpr long kLanes = RT_VECTOR_BYTES / 4;

typedef int Ints __attribute__((vector_size(kLanes * 4)));
typedef unsigned int Words __attribute__((vector_size(kLanes * 4)));
typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef int HalfInts __attribute__((vector_size(kLanes * 2)));
typedef double Doubles __attribute__((vector_size(kLanes * 4)));

#define MRG_INT Ints
#define MRG_WORD Words
#include "engine/rt/mrg31k3p_text.inc"

template <class Vector, class T>
inline void put(T *to, const Vector &values, long lanes)
{
    if (lanes == kLanes) __builtin_memcpy(to, &values, sizeof values);
    else __builtin_memcpy(to, &values, static_cast<unsigned long>(lanes) * sizeof(T));
}

// The largest sample stays below 1 in its dtype.
inline void store(float *to, const Ints &drawn, long lanes) { put(to, __builtin_convertvector(drawn, Floats) * 4.6566126e-10f, lanes); }
inline void store(int *to, const Ints &drawn, long lanes) { put(to, drawn, lanes); }
inline void store(double *to, const Ints &drawn, long lanes)
{
    double wide[kLanes];
    for (int half = 0; half < 2; ++half) {
        HalfInts part;
        __builtin_memcpy(&part, reinterpret_cast<const char *>(&drawn) + half * sizeof part, sizeof part);
        const Doubles values = __builtin_convertvector(part, Doubles) * 4.656612873077392578125e-10;
        __builtin_memcpy(wide + half * kLanes / 2, &values, sizeof values);
    }
    __builtin_memcpy(to, wide, static_cast<unsigned long>(lanes) * sizeof(double));
}

template <class T>
void draw(int *states, long streams, long first, long last, T *samples, long count)
{
    if (last > count) last = count; // the others are not reached
    for (long stream = first; stream < last; stream += kLanes) {
        const long lanes = last - stream < kLanes ? last - stream : kLanes;
        int *own = states + 6 * stream;
        Ints x[6] = {};
        for (long lane = 0; lane < lanes; ++lane)
            for (int part = 0; part < 6; ++part) x[part][lane] = own[6 * lane + part];
        long at = stream;
        for (; at + lanes <= count; at += streams) store(samples + at, mrgNext(x), lanes);
        // The last round does not reach all of these streams: the others stay where they are.
        if (at < count) {
            const long reached = count - at;
            Ints before[6];
            __builtin_memcpy(before, x, sizeof before);
            store(samples + at, mrgNext(x), reached);
            for (long lane = reached; lane < lanes; ++lane)
                for (int part = 0; part < 6; ++part) x[part][lane] = before[part][lane];
        }
        for (long lane = 0; lane < lanes; ++lane)
            for (int part = 0; part < 6; ++part) own[6 * lane + part] = x[part][lane];
    }
}

} // namespace

extern "C" void RT_NAME(rt_mrg31k3p_loop)(int *states, long streams, long first, long last, void *samples, long count, RtDType dtype)
{
    if (dtype == RT_D_F32) draw(states, streams, first, last, static_cast<float *>(samples), count);
    else if (dtype == RT_D_F64) draw(states, streams, first, last, static_cast<double *>(samples), count);
    else draw(states, streams, first, last, static_cast<int *>(samples), count);
}
