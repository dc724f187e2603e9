#include "engine/graph/ir/type.h"

#include "engine/tensor/device_names.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace engine {

struct TypeData {
    TypeKind kind = TypeKind::Tensor;
    DType dtype = DType::Float64;
    DeviceId device = DeviceId::Host;
    std::vector<std::int64_t> shape;
    std::string reason;
    std::string text;
    const TypeData *pattern = nullptr; // the same type with only the sizes of 1 kept
    // The same shape in other dtypes, found once: ops ask for it with every node they build.
    mutable std::array<std::atomic<const TypeData *>, kDTypeCount> byDType{};
};

namespace {

std::string tensorText(DType dtype, const std::vector<std::int64_t> &shape, DeviceId device)
{
    bool anyOne = false;
    for (std::int64_t size : shape) anyOne |= size == 1;
    std::string second;
    if (!anyOne) {
        static const char *const names[] = {"scalar", "vector", "matrix"};
        second = shape.size() < 3 ? names[shape.size()] : std::to_string(shape.size()) + "D";
    } else if (shape.size() == 2 && shape[0] == 1 && shape[1] != 1) {
        second = "row";
    } else if (shape.size() == 2 && shape[0] != 1 && shape[1] == 1) {
        second = "col";
    } else {
        second = "(";
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (i) second += ", ";
            second += shape[i] == 1 ? "True" : "False";
        }
        second += shape.size() == 1 ? ",)" : ")";
    }
    const std::string head = device == DeviceId::Host ? "TensorType(" : "GpuArrayType<" + nameOf(device) + ">(";
    return head + std::string(nameOf(dtype)) + ", " + second + ")";
}

std::string textOf(const TypeData &data)
{
    switch (data.kind) {
    case TypeKind::Tensor: return tensorText(data.dtype, data.shape, data.device);
    case TypeKind::Generic: return "<theano.gof.type.Generic>";
    case TypeKind::None: return "NoneTypeT";
    case TypeKind::Slice: return "slice";
    case TypeKind::RandomState: return "RandomStateType";
    case TypeKind::Disconnected: return "DisconnectedType";
    case TypeKind::Null: return "NullType";
    }
    return "?";
}

const TypeData *intern(TypeKind kind, DType dtype, std::span<const std::int64_t> shape, const std::string &reason,
                       DeviceId device = DeviceId::Host)
{
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<std::string, std::unique_ptr<TypeData>>;
    std::string key;
    key.push_back(static_cast<char>(kind));
    key.push_back(static_cast<char>(dtype));
    key.push_back(static_cast<char>(device));
    key.append(reinterpret_cast<const char *>(shape.data()), shape.size_bytes());
    key += reason;

    std::unique_lock lock(mutex);
    auto found = table->find(key);
    if (found != table->end()) return found->second.get();
    lock.unlock();

    auto data = std::make_unique<TypeData>();
    data->kind = kind;
    data->dtype = dtype;
    data->device = device;
    data->shape.assign(shape.begin(), shape.end());
    data->reason = reason;
    data->text = textOf(*data);
    std::vector<std::int64_t> ones(shape.begin(), shape.end());
    bool hinted = false;
    for (auto &size : ones) {
        if (size == 1 || size == kUnknownDim) continue;
        size = kUnknownDim;
        hinted = true;
    }
    data->pattern = hinted ? intern(kind, dtype, ones, reason, device) : data.get();
    lock.lock();
    auto [place, fresh] = table->emplace(std::move(key), nullptr);
    if (fresh) place->second = std::move(data);
    return place->second.get();
}

} // namespace

Type Type::tensor(DType dtype, std::span<const std::int64_t> staticShape, DeviceId device)
{
    return Type(intern(TypeKind::Tensor, dtype, staticShape, {}, device));
}

Type Type::broadcastable(DType dtype, const std::vector<bool> &pattern)
{
    std::vector<std::int64_t> shape(pattern.size(), kUnknownDim);
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i]) shape[i] = 1;
    return tensor(dtype, shape);
}

Type Type::ofRank(DType dtype, int rank)
{
    if (rank == 0) {
        static const Type scalar = tensor(DType::Bool, {});
        return scalar.withDType(dtype);
    }
    std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), kUnknownDim);
    return tensor(dtype, shape);
}

Type Type::plain(TypeKind kind) { return Type(intern(kind, DType::Bool, {}, {})); }
Type Type::null(const std::string &why) { return Type(intern(TypeKind::Null, DType::Bool, {}, why)); }

TypeKind Type::kind() const { return m_data->kind; }
DType Type::dtype() const { return m_data->dtype; }
DeviceId Type::device() const { return m_data->device; }
int Type::rank() const { return static_cast<int>(m_data->shape.size()); }
std::span<const std::int64_t> Type::shape() const { return m_data->shape; }
const std::string &Type::reason() const { return m_data->reason; }
const std::string &Type::text() const { return m_data->text; }

std::vector<bool> Type::pattern() const
{
    std::vector<bool> result;
    result.reserve(m_data->shape.size());
    for (std::int64_t size : m_data->shape) result.push_back(size == 1);
    return result;
}

Type Type::withDType(DType dtype) const
{
    auto &known = m_data->byDType[static_cast<std::size_t>(dtype)];
    const TypeData *data = known.load(std::memory_order_acquire);
    if (!data) known.store(data = tensor(dtype, m_data->shape, m_data->device).m_data, std::memory_order_release);
    return Type(data);
}
Type Type::withShape(std::span<const std::int64_t> staticShape) const { return tensor(m_data->dtype, staticShape, m_data->device); }
Type Type::on(DeviceId device) const { return tensor(m_data->dtype, m_data->shape, device); }

std::string Type::detailedText() const
{
    if (!isTensor()) return text();
    std::string result = std::string(nameOf(dtype())) + " (";
    for (int i = 0; i < rank(); ++i) {
        if (i) result += ", ";
        const std::int64_t size = shape()[i];
        result += size == kUnknownDim ? "?" : std::to_string(size);
    }
    return result + (rank() == 1 ? ",)" : ")");
}

bool operator==(Type a, Type b)
{
    if (a.m_data == b.m_data) return true;
    return a.m_data && b.m_data && a.m_data->pattern == b.m_data->pattern;
}

std::size_t Type::hash() const { return m_data ? std::hash<const void *>{}(m_data->pattern) : 0; }

bool Type::convertibleTo(Type wanted) const
{
    if (*this == wanted) return true;
    if (!isTensor() || !wanted.isTensor()) return false;
    if (dtype() != wanted.dtype() || rank() != wanted.rank() || device() != wanted.device()) return false;
    for (int i = 0; i < rank(); ++i)
        if (wanted.isBroadcastable(i) && !isBroadcastable(i)) return false;
    return true;
}

} // namespace engine
