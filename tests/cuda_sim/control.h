// What tests ask of the simulated CUDA. It lies in the same library, so dlopen finds it where the module found its functions.
#pragma once

extern "C" {

/// Each piece of a stream's work, and each time that CUPTI is to hand records over, waits for a while of its own; 0: none does.
void cudaSimDelay(unsigned seed);
/// The `count`-th time from now it goes wrong (1: the next time), once. `what`:
///   malloc   there is no memory
///   launch   a launch is refused (out of resources)
///   kernel   a kernel reads where nothing is: the error stays
///   cublas   cuBLAS does not open
///   cudnn    cuDNN does not open
///   cudnn-algorithm   cuDNN knows no way to do a convolution
///   graph    captured work does not become a graph
///   event    an event is not recorded
///   record   CUPTI drops a record
///   cupti-refused, cupti-old   CUPTI does not start, or is of an old version
void cudaSimFail(const char *what, int count);
/// Undoes an error that stays: as if the process began anew. Memory keeps what it has.
void cudaSimRevive(void);
/// What is wrong with its memory: written past an end, or after it was free. Empty: nothing.
const char *cudaSimFaults(void);
/// Events that were made and not destroyed.
int cudaSimEvents(void);
/// How many ranges of NVTX had this name; -1: one of this thread is still open, or there is no NVTX here.
int cudaSimRanges(const char *name);
}
