// Captured calls, in SessionWriter.

#include "profiler/session/codec/array_codec.h"
#include "profiler/session/store/writer_impl.h"

#include <span>
#include <utility>

namespace profiler {

void SessionWriter::setCapturedFunction(CapturedFunction function)
{
    m_impl->post([function = std::move(function)](Tables &tables) { tables.insert(function); });
}

bool SessionWriter::addCapturedArray(const std::string &key, std::shared_ptr<const std::vector<std::uint8_t>> bytes,
                                     std::size_t elementBytes)
{
    if (m_impl->isForeign()) return false;
    {
        const std::lock_guard lock(m_impl->mutex);
        if (!m_impl->arrays.insert(key).second) return false;
    }
    m_impl->post([key, elementBytes, bytes = std::move(bytes)](Tables &tables) {
        ArrayPart part;
        part.array = key;
        for (std::size_t at = 0; at < bytes->size(); at += kArrayPartBytes, ++part.part) {
            const auto each = std::span(*bytes).subspan(at, std::min(kArrayPartBytes, bytes->size() - at));
            part.bytes = static_cast<std::int64_t>(each.size());
            part.data = packPart(each, elementBytes);
            tables.insert(part);
        }
    });
    return true;
}

void SessionWriter::addCapturedCall(CapturedCall call, std::vector<CapturedValue> values)
{
    const std::size_t bytes = bytesOf(values);
    m_impl->post(
        [call, values = std::move(values)](Tables &tables) {
            tables.insert(call);
            tables.all<CapturedValue>(values);
        },
        bytes);
}

void SessionWriter::removeCapturedCall(FunctionId function, std::int64_t call)
{
    m_impl->post([=](Tables &tables) {
        tables.remove("DELETE FROM captured_values WHERE function=? AND call=?", function, call);
        tables.remove("DELETE FROM captured_calls WHERE function=? AND call=?", function, call);
    });
}

} // namespace profiler
