#include "engine/onnx/model/tensors.h"

#include "engine/onnx/model/model.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace engine::onnx {
namespace {

using proto::TensorProto;

constexpr std::int64_t kMostBytes = std::int64_t(1) << 40;

const char *nameOfElements(std::int32_t type)
{
    static constexpr const char *kNames[] = {
        "undefined",      "float",      "uint8",          "int8",   "uint16", "int16",      "int32",      "int64",    "string",
        "bool",           "float16",    "double",         "uint32", "uint64", "complex64",  "complex128", "bfloat16", "float8e4m3fn",
        "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",  "int4",   "float4e2m1", "float8e8m0", "uint2",    "int2"};
    return type >= 0 && type < static_cast<std::int32_t>(std::size(kNames)) ? kNames[type] : "of an unknown type";
}

// Numbers that stand in a list of wider ones.
template <class To, class List>
void fill(const Tensor &to, const List &from, const std::string &what)
{
    if (from.size() != to.size())
        throw ModelError(what + " has " + std::to_string(from.size()) + " elements, but its sizes ask for " + std::to_string(to.size()));
    To *out = to.as<To>();
    for (const auto value : from) *out++ = static_cast<To>(value);
}

void fillFromList(const Tensor &to, const TensorProto &message, const std::string &what)
{
    switch (to.dtype()) {
    case DType::Bool:
    case DType::UInt8: return fill<std::uint8_t>(to, message.int32_data(), what);
    case DType::Int8: return fill<std::int8_t>(to, message.int32_data(), what);
    case DType::Int16: return fill<std::int16_t>(to, message.int32_data(), what);
    case DType::UInt16:
    case DType::Float16: return fill<std::uint16_t>(to, message.int32_data(), what);
    case DType::Int32: return fill<std::int32_t>(to, message.int32_data(), what);
    case DType::Int64: return fill<std::int64_t>(to, message.int64_data(), what);
    case DType::UInt32: return fill<std::uint32_t>(to, message.uint64_data(), what);
    case DType::UInt64: return fill<std::uint64_t>(to, message.uint64_data(), what);
    case DType::Float32: return fill<float>(to, message.float_data(), what);
    case DType::Float64: return fill<double>(to, message.double_data(), what);
    case DType::Complex64:
    case DType::Complex128: break;
    }
    const std::int64_t numbers = to.size() * 2;
    const std::int64_t given = to.dtype() == DType::Complex64 ? message.float_data_size() : message.double_data_size();
    if (given != numbers)
        throw ModelError(what + " has " + std::to_string(given) + " numbers, but its sizes ask for " + std::to_string(numbers));
    for (std::int64_t i = 0; i < numbers; ++i)
        if (to.dtype() == DType::Complex64) to.as<float>()[i] = message.float_data(static_cast<int>(i));
        else to.as<double>()[i] = message.double_data(static_cast<int>(i));
}

// bfloat16 is the upper half of a float.
float fromBFloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::string externalBytes(const TensorProto &message, std::int64_t wanted, const std::string &folder, const std::string &what)
{
    std::string location;
    std::int64_t offset = 0, length = wanted;
    const auto number = [&](const std::string &text) {
        if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
            throw ModelError(what + " names \"" + text + "\" as a place in its file, which is no number");
        return std::stoll(text);
    };
    for (const auto &entry : message.external_data()) {
        if (entry.key() == "location") location = entry.value();
        else if (entry.key() == "offset") offset = number(entry.value());
        else if (entry.key() == "length") length = number(entry.value());
    }
    if (length != wanted)
        throw ModelError(what + " has " + std::to_string(length) + " bytes in its file, but its sizes ask for " + std::to_string(wanted));
    if (folder.empty()) throw ModelError(what + " has its elements in the file \"" + location + "\": open the model by its path");
    namespace fs = std::filesystem;
    std::error_code problem;
    const fs::path root = fs::weakly_canonical(folder, problem), path = fs::weakly_canonical(root / location, problem);
    const auto [end, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    if (location.empty() || fs::path(location).is_absolute() || end != root.end())
        throw ModelError(what + " names the file \"" + location + "\", which is not inside the model's folder");
    if (!fs::is_regular_file(path, problem)) throw ModelError(what + " needs the file \"" + path.string() + "\", which is not there");
    std::ifstream file(path, std::ios::binary);
    const auto size = static_cast<std::int64_t>(fs::file_size(path, problem));
    if (problem || offset > size || length > size - offset)
        throw ModelError(what + " asks for bytes " + std::to_string(offset) + " to " + std::to_string(offset + length) + " of \"" +
                         path.string() + "\", which has " + std::to_string(size));
    std::string bytes(static_cast<std::size_t>(length), '\0');
    file.seekg(offset);
    if (!file.read(bytes.data(), length)) throw ModelError("\"" + path.string() + "\" cannot be read");
    return bytes;
}

} // namespace

bool isBFloat16(std::int32_t elementType) { return elementType == TensorProto::BFLOAT16; }

DType dtypeOf(std::int32_t elementType, const std::string &what)
{
    switch (elementType) {
    case TensorProto::FLOAT:
    case TensorProto::BFLOAT16: return DType::Float32;
    case TensorProto::UINT8: return DType::UInt8;
    case TensorProto::INT8: return DType::Int8;
    case TensorProto::UINT16: return DType::UInt16;
    case TensorProto::INT16: return DType::Int16;
    case TensorProto::INT32: return DType::Int32;
    case TensorProto::INT64: return DType::Int64;
    case TensorProto::BOOL: return DType::Bool;
    case TensorProto::FLOAT16: return DType::Float16;
    case TensorProto::DOUBLE: return DType::Float64;
    case TensorProto::UINT32: return DType::UInt32;
    case TensorProto::UINT64: return DType::UInt64;
    case TensorProto::COMPLEX64: return DType::Complex64;
    case TensorProto::COMPLEX128: return DType::Complex128;
    default: break;
    }
    throw ModelError(what + " has elements of the type " + nameOfElements(elementType) + " (" + std::to_string(elementType) +
                     "), which Croton does not have");
}

std::int32_t elementTypeOf(DType dtype)
{
    static constexpr std::int32_t kTypes[kDTypeCount] = {
        TensorProto::BOOL,  TensorProto::INT8,   TensorProto::INT16,     TensorProto::INT32,     TensorProto::INT64,
        TensorProto::UINT8, TensorProto::UINT16, TensorProto::UINT32,    TensorProto::UINT64,    TensorProto::FLOAT16,
        TensorProto::FLOAT, TensorProto::DOUBLE, TensorProto::COMPLEX64, TensorProto::COMPLEX128};
    return kTypes[static_cast<std::size_t>(dtype)];
}

Tensor tensorOf(const TensorProto &message, const std::string &folder, const std::string &what)
{
    const DType dtype = dtypeOf(message.data_type(), what);
    Dims shape;
    std::int64_t elements = 1;
    for (const std::int64_t size : message.dims()) {
        if (size < 0) throw ModelError(what + " has the size " + std::to_string(size));
        shape.push_back(size);
        if (size > 0 && elements > kMostBytes / size) throw ModelError(what + " has sizes that no memory holds");
        elements *= size;
    }
    const bool isShort = isBFloat16(message.data_type());
    const std::size_t bytes = static_cast<std::size_t>(elements) * (isShort ? 2 : sizeOf(dtype));
    const bool isExternal = message.has_data_location() && message.data_location() == TensorProto::EXTERNAL;
    // Before memory is taken: is there as much as the sizes say?
    std::string external;
    if (isExternal) external = externalBytes(message, static_cast<std::int64_t>(bytes), folder, what);
    const std::string &raw = isExternal ? external : message.raw_data();
    if (message.has_raw_data() || isExternal) {
        if (raw.size() != bytes)
            throw ModelError(what + " has " + std::to_string(raw.size()) + " bytes, but its sizes ask for " + std::to_string(bytes));
    } else if (elements > static_cast<std::int64_t>(message.ByteSizeLong())) {
        throw ModelError(what + " has fewer elements than its sizes ask for (" + std::to_string(elements) + ")");
    }
    const Tensor result = Tensor::empty(dtype, shape);
    if (isShort) {
        for (std::int64_t i = 0; i < elements; ++i) {
            std::uint16_t bits = 0;
            if (raw.size() == bytes && bytes) std::memcpy(&bits, raw.data() + 2 * i, 2);
            else if (i < message.int32_data_size()) bits = static_cast<std::uint16_t>(message.int32_data(static_cast<int>(i)));
            result.as<float>()[i] = fromBFloat16(bits);
        }
    } else if (message.has_raw_data() || isExternal) {
        if (bytes) std::memcpy(result.data(), raw.data(), bytes);
    } else {
        fillFromList(result, message, what);
    }
    return result;
}

Tensor readTensor(std::string_view bytes)
{
    TensorProto message;
    if (bytes.size() > std::numeric_limits<int>::max() || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        throw ModelError("this is no array of ONNX: its bytes are no TensorProto message");
    return tensorOf(message, {}, "the array \"" + message.name() + "\"");
}

} // namespace engine::onnx
