// Compiled once per level: puts the level's parts together.
#include "engine/rt/level.h"

extern "C" void RT_NAME(rt_fill)(RtTable *table)
{
    table->level = RT_LEVEL;
    table->vectorBytes = RT_VECTOR_BYTES;
    table->fusesMultiplyAdd = RT_FUSES_MULTIPLY_ADD;
    rt_fill_special(table);
    RT_NAME(rt_fill_loops)(table);
    RT_NAME(rt_fill_divisions)(table);
    RT_NAME(rt_fill_memory)(table);
    RT_NAME(rt_fill_math_f32)(table);
    RT_NAME(rt_fill_math_f64)(table);
    RT_NAME(rt_fill_math_pow)(table);
    RT_NAME(rt_fill_math_gamma)(table);
    RT_NAME(rt_fill_folds)(table);
    RT_NAME(rt_fill_narrow_folds)(table);
    RT_NAME(rt_fill_repeats)(table);
    RT_NAME(rt_fill_blas)(table);
    RT_NAME(rt_fill_indexed)(table);
    RT_NAME(rt_fill_small_products)(table);
    RT_NAME(rt_fill_conv)(table);
    RT_NAME(rt_fill_pool)(table);
    RT_NAME(rt_fill_places)(table);
    RT_NAME(rt_fill_sort)(table);
    rt_fill_complex(table);
}
