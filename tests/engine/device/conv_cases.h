// Convolutions and poolings with their gradients over the borders, steps, groups, sizes and dtypes that make work of their own.
#pragma once

#include "engine/tensor/convert.h"
#include "engine/tensor/tensor.h"

#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace conv_cases {

using namespace engine;

struct Case {
    const char *name;
    const char *text; ///< the inputs in the order of `shapes`
    std::vector<Dims> shapes;
    const char *classes; ///< what runs on the device where there is no library of convolutions, apart by spaces
};

inline std::ostream &operator<<(std::ostream &out, const Case &one) { return out << one.name; }

#define WITH_GRADIENTS "; y, grad(sum(sqr(y)), x), grad(sum(sqr(y)), k)"
#define WITH_GRADIENT "; y, grad(sum(y * y * y), x)"

inline const std::vector<Case> &all()
{
    static const std::vector<Case> cases{
        {"Valid",
         "x: ftensor4; k: ftensor4; y = conv2d(x, k)" WITH_GRADIENTS,
         {{3, 2, 7, 6}, {4, 2, 3, 2}},
         "GpuCorrMM GpuCorrMM_gradWeights GpuCorrMM_gradInputs"},
        {"Full", "x: ftensor4; k: ftensor4; y = conv2d(x, k, border=\"full\")" WITH_GRADIENTS, {{2, 3, 4, 5}, {2, 3, 3, 4}}, "GpuCorrMM"},
        {"Half",
         "x: ftensor4; k: ftensor4; y = conv2d(x, k, border=\"half\", flip=False)" WITH_GRADIENTS,
         {{2, 1, 5, 8}, {3, 1, 3, 4}},
         "GpuCorrMM"},
        {"Steps",
         "x: ftensor4; k: ftensor4; y = conv2d(x, k, border=2, stride=3)" WITH_GRADIENTS,
         {{2, 2, 11, 9}, {3, 2, 4, 3}},
         "GpuCorrMM GpuCorrMM_gradWeights GpuCorrMM_gradInputs"},
        {"Dilated",
         "x: ftensor4; k: ftensor4; y = conv2d(x, k, dilation=2, border=1)" WITH_GRADIENTS,
         {{2, 2, 9, 8}, {2, 2, 3, 3}},
         "GpuCorrMM"},
        {"StepsOfDilated",
         "x: ftensor4; k: ftensor4; y = conv2d(x, k, dilation=3, stride=2, border=\"full\")" WITH_GRADIENTS,
         {{1, 2, 6, 7}, {2, 2, 2, 3}},
         "GpuCorrMM"},
        {"Groups", "x: ftensor4; k: ftensor4; y = conv2d(x, k, groups=2)" WITH_GRADIENTS, {{3, 4, 6, 5}, {6, 2, 3, 3}}, "GpuCorrMM"},
        {"EachChannelItsOwn",
         "x: ftensor4; k: ftensor4; y = conv2d(x, k, groups=3, border=\"half\", stride=2)" WITH_GRADIENTS,
         {{2, 3, 7, 7}, {3, 1, 3, 3}},
         "GpuCorrMM"},
        {"Doubles", "x: dtensor4; k: dtensor4; y = conv2d(x, k, border=1)" WITH_GRADIENTS, {{2, 2, 5, 5}, {3, 2, 3, 3}}, "GpuCorrMM"},
        {"Mixed", "x: ftensor4; k: dtensor4; y = conv2d(x, k)" WITH_GRADIENTS, {{2, 2, 5, 5}, {3, 2, 3, 3}}, "GpuCorrMM"},
        {"Halves",
         "x: ftensor4; k: ftensor4; conv2d(cast(x, float16), cast(k, float16), border=1)",
         {{2, 2, 5, 5}, {3, 2, 3, 3}},
         "GpuCorrMM"},
        {"OnePixel", "x: ftensor4; k: ftensor4; y = conv2d(x, k)" WITH_GRADIENTS, {{1, 1, 1, 1}, {1, 1, 1, 1}}, "GpuCorrMM"},
        {"AsLargeAsTheImage", "x: ftensor4; k: ftensor4; y = conv2d(x, k)" WITH_GRADIENTS, {{4, 2, 5, 4}, {3, 2, 5, 4}}, "GpuCorrMM"},
        {"NoImages", "x: ftensor4; k: ftensor4; y = conv2d(x, k)" WITH_GRADIENTS, {{0, 2, 5, 4}, {3, 2, 2, 2}}, "GpuCorrMM"},
        {"Turned",
         "x: ftensor4; k: ftensor4; conv2d(dimshuffle(exp(x), 1, 0, 3, 2), exp(k)[:, :, ::-1])",
         {{2, 3, 6, 5}, {4, 2, 3, 3}},
         "GpuCorrMM"},
        {"Volumes",
         "x: float32[?,?,?,?,?]; k: float32[?,?,?,?,?]; y = conv3d(x, k, border=1, stride=2)" WITH_GRADIENTS,
         {{2, 2, 4, 5, 6}, {3, 2, 2, 3, 3}},
         "GpuCorr3dMM GpuCorr3dMM_gradWeights GpuCorr3dMM_gradInputs"},
        {"VolumesInGroups",
         "x: float64[?,?,?,?,?]; k: float64[?,?,?,?,?]; y = conv3d(x, k, border=\"full\", dilation=2, groups=2)" WITH_GRADIENTS,
         {{1, 4, 3, 4, 3}, {2, 2, 2, 2, 2}},
         "GpuCorr3dMM"},
        {"MaxPool", "x: ftensor4; y = pool_2d(x, ws=2)" WITH_GRADIENT, {{2, 3, 7, 6}}, "GpuPool GpuMaxPoolGrad"},
        {"MaxPoolOverTheEnd", "x: ftensor4; y = pool_2d(x, ws=3, stride=2, ignore_border=False)" WITH_GRADIENT, {{2, 2, 8, 7}}, "GpuPool"},
        {"MaxPoolWithBorder", "x: ftensor4; y = pool_2d(x, ws=3, stride=2, pad=1)" WITH_GRADIENT, {{2, 2, 8, 7}}, "GpuPool"},
        {"SumPool",
         "x: ftensor4; y = pool_2d(x, ws=2, stride=1, mode=\"sum\")" WITH_GRADIENT,
         {{2, 2, 4, 5}},
         "GpuPool GpuAveragePoolGrad"},
        {"MeanPool",
         "x: dtensor4; y = pool_2d(x, ws=3, stride=2, pad=1, mode=\"average_inc_pad\")" WITH_GRADIENT,
         {{2, 2, 6, 5}},
         "GpuPool GpuAveragePoolGrad"},
        {"MeanPoolWithoutBorder",
         "x: ftensor4; y = pool_2d(x, ws=3, stride=2, pad=1, mode=\"average_exc_pad\")" WITH_GRADIENT,
         {{2, 2, 6, 5}},
         "GpuPool GpuAveragePoolGrad"},
        {"LargestOfEquals",
         "x: ftensor4; z = floor(x * 2); y = pool_2d(x > 0, ws=2, stride=1) * 1.0; y, grad(sum(sqr(pool_2d(z, ws=2, stride=1))), z)",
         {{2, 2, 5, 5}},
         "GpuMaxPoolGrad"},
        {"PoolOfVolumes", "x: float32[?,?,?,?,?]; y = pool_3d(x, ws=2, ignore_border=False)" WITH_GRADIENT, {{2, 2, 3, 4, 5}}, "GpuPool"},
        {"HalfPool", "x: ftensor4; pool_2d(cast(x, float16), ws=2)", {{2, 2, 4, 4}}, "GpuPool"},
        {"LargestTwice",
         "x: ftensor4; y = pool_2d(x, ws=2); grad(sum(sqr(grad(sum(y * y * y), x))), x)",
         {{2, 2, 4, 4}},
         "GpuDownsampleFactorMaxGradGrad"},
    };
    return cases;
}

#undef WITH_GRADIENTS
#undef WITH_GRADIENT

inline Tensor drawn(DType dtype, const Dims &shape, std::minstd_rand &random)
{
    Tensor tensor = Tensor::empty(dtype, shape);
    withStorageType(dtype, [&]<class T>() {
        for (std::int64_t i = 0; i < tensor.size(); ++i)
            tensor.as<T>()[i] = convertElement<T>(static_cast<double>(random() % 2000) / 1000 - 1);
    });
    return tensor;
}

} // namespace conv_cases
