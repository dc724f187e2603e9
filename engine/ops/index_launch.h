// What kernels share that read and write the places an index names.
#pragma once

#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"
#include "engine/device/device_findings.h"
#include "engine/ops/index_places.h"
#include "engine/runtime/device_launch.h"
#include "engine/runtime/device_windows.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// Axes along which several arrays are walked at once: those of size 1 left out, neighbours that are one to all of them taken as one.
struct WalkedAxes {
    /// In bytes, of the arrays with elements of those sizes.
    WalkedAxes(const Dims &shape, std::span<const Dims> strides, std::span<const DType> dtypes);
    Dims shape;
    std::vector<Dims> steps; ///< in elements
};

/// The text that adds up where element `number` of such axes lies in each array, and its parameters with their values.
struct WalkText {
    WalkText(const std::string &letter, const std::string &number, std::span<const std::string> sums, const WalkedAxes &axes);
    std::string text;
    std::vector<KernelParameter> parameters;
    std::vector<std::int64_t> values;
};

/// A kernel with its numbers, ready to be launched on arrays.
struct IndexKernel {
    KernelSource source;
    std::vector<std::int64_t> numbers;
    std::int64_t items = 0, elements = 1;
};

/// Where the axes that the arrays do not touch lie in an array of the result's shape with these strides.
Dims restWithin(const IndexLayout &index, const Dims &strides);
/// Elements from one position of the arrays to the next in such an array.
std::int64_t stepOfArrays(const IndexLayout &index, const Dims &strides, DType dtype);
/// Strides of the value as NumPy broadcasts it to the part.
Dims stridesOfPart(Finding symbol, const SlotOperand &y, const Dims &part);
/// x as the output, which others write into; null: it is the output.
std::unique_ptr<Thunk> copyUnlessInPlace(const ThunkSpec &spec, const std::string &name);
/// Throws where the value does not broadcast to a part of that shape.
void checkFits(const SlotOperand &y, const Dims &part, const std::string &name);
/// The statement that stores the value `from` in `at`, or adds it to that.
std::string storeText(bool isSet, DType to, const std::string &at, DType given, const std::string &from);

/// Does one of an op's index arrays lie on a device? `indices`: what its entries read.
bool readsThere(std::span<const AdvancedEntry> entries, std::span<const SlotOperand> indices);
/// Its index arrays are read by kernels: those of the host are sent.
std::unique_ptr<Thunk> gatherThere(std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name);
std::unique_ptr<Thunk> scatterThere(bool isSet, std::span<const AdvancedEntry> entries, const ThunkSpec &spec, const std::string &name);

/// x[i] as an index with one array.
std::span<const AdvancedEntry> oneArray();

} // namespace engine
