// SPDX-License-Identifier: Apache-2.0
#include "workload.h"
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

static_assert(sizeof(Workload::Fill) == 12 && sizeof(Workload::Range) == 8 && sizeof(Workload::Point) == 8,
              "read as they are in the file");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "read as they are in the file");

namespace {
struct Header { char magic[4]; uint32_t version, width, height, fills, contours, points, rule; };

[[noreturn]] void fail(const std::string &path, const std::string &what) { throw WorkloadError(path + ": " + what); }

bool isWithin(Workload::Range range, uint64_t count) { return uint64_t(range.first) + range.count <= count; }

template <typename Item> const char *take(std::vector<Item> &items, uint32_t count, const char *from) {
    items.resize(count);
    if (count > 0) std::memcpy(items.data(), from, count * sizeof(Item));
    return from + count * sizeof(Item);
}
}

Workload Workload::read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, "cannot be read");
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    Header header;
    if (bytes.size() < sizeof header) fail(path, "the header is cut");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, "RPW1", 4) != 0 || header.version != 1) fail(path, "is not RPW1, version 1");
    const uint64_t size = sizeof header + 12ull * header.fills + 8ull * header.contours + 8ull * header.points;
    if (size != bytes.size()) fail(path, "the counts are not those of the file's bytes");
    if (header.width == 0 || header.width > 16384 || header.height == 0 || header.height > 16384 || header.rule > 1 ||
        header.fills == 0)
        fail(path, "width, height, nFills or fillRule is out of range");

    Workload workload;
    const auto slash = path.rfind('/');
    workload.name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (const auto dot = workload.name.rfind(".rpw"); dot != std::string::npos) workload.name.resize(dot);
    workload.width = header.width;
    workload.height = header.height;
    workload.nonZero = header.rule == 1;
    const char *rest = take(workload.fills, header.fills, bytes.data() + sizeof header);
    rest = take(workload.contours, header.contours, rest);
    take(workload.points, header.points, rest);
    for (const Fill &fill : workload.fills)
        if (!isWithin(fill.contours, header.contours)) fail(path, "a fill has contours that are not there");
    for (const Range &contour : workload.contours)
        if (!isWithin(contour, header.points)) fail(path, "a contour has points that are not there");
    for (const Point &point : workload.points)
        if (!(std::fabs(point.x) <= 32768 && std::fabs(point.y) <= 32768)) fail(path, "a point is beyond 32768 px");
    return workload;
}
