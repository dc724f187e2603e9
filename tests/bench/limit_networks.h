/* Training steps of networks written out by hand, one thread, all memory given: what networks.py compares compiled functions with.
   A library of its own, called through ctypes. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* steps x batch x inputs of x; the cost is the mean square of all hidden states, the rate 0.1. */
typedef struct LimitLstm {
    int steps, batch, inputs, units;
    const float *x;
    float *W, *U, *b;                     /* inputs x 4 units, units x 4 units, 4 units: admit, keep, tell, offered */
    float *gates, *bounded;               /* scratch: steps x batch x 4 units, steps x batch x units */
    float *memory, *hidden;               /* steps + 1 x batch x units, the first of zeros */
    float *later, *memoryGrad, *biasGrad; /* scratch: batch x units, batch x units, 4 units */
} LimitLstm;
float limit_lstm(const LimitLstm *step);

/* images x channels x height x width by filters x channels x side x side, steps of 1, no borders, kernels applied forwards. */
typedef struct LimitConv {
    int images, channels, height, width, filters, side;
#ifdef __cplusplus
    int outHeight() const { return height - side + 1; }
    int outWidth() const { return width - side + 1; }
#endif
} LimitConv;
/* pass 0: image and kernels give what comes out; 1: image and its gradient that of the kernels; 2: kernels and it that of the image.
   By oneDNN, or by loops for a side of 3, 5 or 7; 0 where that is not there. */
int limit_conv(const LimitConv *conv, int pass, int byLibrary, const float *first, const float *second, float *result);

/* One stage: convolution, the largest of each window of pool x pool (1: none), bias, tanh. */
typedef struct LimitStage {
    LimitConv conv;
    int pool;
    int isLibraryBetter[3]; /* by pass of the convolution: found out by the first step */
    float *kernels, *bias;
    float *made, *pooled;         /* scratch: what the convolution gives; what comes out */
    float *madeGrad, *pooledGrad; /* scratch like them */
    float *kernelGrad;
} LimitStage;
/* Two stages, a tanh layer of `hidden` units (0: none), softmax, negative log likelihood, descent at a rate of 0.01. */
typedef struct LimitConvNet {
    const float *x;
    const int *y;
    LimitStage first, second;
    int hidden, classes, isTuned;
    float *W, *b, *V, *c; /* features x hidden, hidden, hidden (or features) x classes, classes */
    float *h, *hGrad, *p; /* scratch: images x hidden, images x hidden, images x classes */
} LimitConvNet;
float limit_conv_net(LimitConvNet *net);

#ifdef __cplusplus
}
#endif
