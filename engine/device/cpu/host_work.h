// Kernels in the C dialect and matrix products, done by the processor: for the host, and for devices that are the processor after all.
#pragma once

#include "engine/device/device.h"

namespace engine {

/// A function of the text that is called croton_kernel_0, compiled by the C compiler of this machine.
std::shared_ptr<BuiltKernel> buildHostKernel(const KernelSource &source, const std::string &device);
/// Gives it addresses and the addresses of numbers in their order, and the last number as how many elements there are.
void runHostKernel(const BuiltKernel &kernel, std::span<const KernelArgument> arguments);
void multiplyOnHost(const MatrixProduct &product);

} // namespace engine
