#include "nadi/emit/repr_cache.h"

#include "nadi/base/utf8.h"
#include "nadi/emit/python_repr.h"

namespace nadi {
namespace {

constexpr std::size_t kCacheSlots = 1 << 12;
constexpr std::size_t kMaxCached = 512;  // bytes of one text

}  // namespace

ReprCache::ReprCache(const StringTable& strings) : strings_(strings), slots_(kCacheSlots) {}

void ReprCache::print(StringId json, bool repeats, std::string& out, Diagnostics& diagnostics) {
  if (json == StringId::kEmpty) {
    out = "[]";
    return;
  }
  if (!repeats || strings_[json].size() > kMaxCached) return convert(json, out, diagnostics);
  Slot& slot = slots_[static_cast<std::uint32_t>(json) % kCacheSlots];
  if (slot.json != json) {
    convert(json, slot.repr, diagnostics);
    slot.json = json;
  }
  out = slot.repr;
}

void ReprCache::convert(StringId json, std::string& out, Diagnostics& diagnostics) const {
  out.clear();
  if (append_python_repr(strings_[json], out)) return;
  out = repair_utf8(strings_[json]);
  diagnostics.report(Finding::kIoTextNotJson, whole_prefix(out, 80));
}

}  // namespace nadi
