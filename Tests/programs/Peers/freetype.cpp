// SPDX-License-Identifier: Apache-2.0
#include "peer.h"
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

namespace {
// Unsigned since FreeType 2.13.3.
using Tag = std::remove_pointer_t<decltype(FT_Outline::tags)>;
using Count = decltype(FT_Outline::n_points);
using Index = std::remove_pointer_t<decltype(FT_Outline::contours)>;
constexpr size_t mostPoints = 32767;

struct Outline {
    size_t point, contour;
    Count pointCount, contourCount;
    FT_BBox box;  // the pixels that it may touch
};

// FreeType's rasterizer returns spans of coverage, which are blended here.
class Freetype final : public Peer {
public:
    Freetype(const Workload &workload, Page &page) : workload(workload), page(page) {
        for (const auto &fill : workload.fills) add(fill);
        tags.assign(points.size(), Tag(FT_CURVE_TAG_ON));
        if (FT_Init_FreeType(&library) != 0) throw std::runtime_error("FreeType does not start");
        parameters.flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP;
        parameters.gray_spans = blend;
        parameters.user = this;
    }

    ~Freetype() override { FT_Done_FreeType(library); }

    void fill(const Workload::Fill &fill, uint32_t color) override {
        const auto &from = outlines[size_t(&fill - workload.fills.data())];
        FT_Outline outline{};
        outline.n_points = from.pointCount;
        outline.n_contours = from.contourCount;
        outline.points = points.data() + from.point;
        outline.tags = tags.data() + from.point;
        outline.contours = ends.data() + from.contour;
        outline.flags = workload.nonZero ? FT_OUTLINE_NONE : FT_OUTLINE_EVEN_ODD_FILL;
        // FreeType walks all rows of this box. With the page as the box, small fills would take three times as long.
        parameters.clip_box = from.box;
        if (from.box.xMin >= from.box.xMax || from.box.yMin >= from.box.yMax) return;
        ink = 0xFF000000 | color;
        if (FT_Outline_Render(library, &outline, &parameters) != 0) throw std::runtime_error("FreeType refuses a fill");
    }

private:
    void add(const Workload::Fill &fill) {
        Outline outline{points.size(), ends.size(), 0, 0, {FT_Pos(page.width), FT_Pos(page.height), 0, 0}};
        for (uint32_t index = 0; index < fill.contours.count; index++) {
            const auto contour = workload.contours[fill.contours.first + index];
            if (contour.count == 0) continue;
            for (uint32_t index = 0; index < contour.count; index++) {
                const auto point = workload.points[contour.first + index];
                points.push_back({std::lround(point.x * 64), std::lround(point.y * 64)});
                outline.box.xMin = std::min<FT_Pos>(outline.box.xMin, std::lround(std::floor(point.x)));
                outline.box.yMin = std::min<FT_Pos>(outline.box.yMin, std::lround(std::floor(point.y)));
                outline.box.xMax = std::max<FT_Pos>(outline.box.xMax, std::lround(std::ceil(point.x)));
                outline.box.yMax = std::max<FT_Pos>(outline.box.yMax, std::lround(std::ceil(point.y)));
            }
            if (points.size() - outline.point > mostPoints)
                throw std::runtime_error("FreeType takes no fill of more than 32767 points");
            ends.push_back(Index(points.size() - outline.point - 1));
        }
        outline.box.xMin = std::max<FT_Pos>(outline.box.xMin, 0);
        outline.box.yMin = std::max<FT_Pos>(outline.box.yMin, 0);
        outline.box.xMax = std::min<FT_Pos>(outline.box.xMax, page.width);
        outline.box.yMax = std::min<FT_Pos>(outline.box.yMax, page.height);
        outline.pointCount = Count(points.size() - outline.point);
        outline.contourCount = decltype(outline.contourCount)(ends.size() - outline.contour);
        outlines.push_back(outline);
    }

    static void blend(int y, int count, const FT_Span *spans, void *user) {
        auto &self = *static_cast<Freetype *>(user);
        uint32_t *row = self.page.pixels.data() + size_t(y) * self.page.width;
        const uint32_t ink = self.ink;
        for (const FT_Span *span = spans; span < spans + count; span++) {
            const int start = span->x, end = span->x + span->len;
            if (span->coverage == 255) {
                for (int x = start; x < end; x++) row[x] = ink;
                continue;
            }
            // 0...256, so that a shift divides.
            const uint32_t share = span->coverage + (span->coverage >> 7), rest = 256 - share;
            const uint32_t redBlue = (ink & 0xFF00FF) * share + 0x800080, green = (ink & 0xFF00) * share + 0x8000;
            for (int x = start; x < end; x++)
                row[x] = 0xFF000000 | (((row[x] & 0xFF00FF) * rest + redBlue) >> 8 & 0xFF00FF) |
                         (((row[x] & 0xFF00) * rest + green) >> 8 & 0xFF00);
        }
    }

    const Workload &workload;
    Page &page;
    FT_Library library = nullptr;
    FT_Raster_Params parameters{};
    std::vector<FT_Vector> points;  // 26.6 bits
    std::vector<Tag> tags;
    std::vector<Index> ends;
    std::vector<Outline> outlines;  // one per fill
    uint32_t ink = 0;
};
}

std::unique_ptr<Peer> makeFreetype(const Workload &workload, Page &page) {
    return std::make_unique<Freetype>(workload, page);
}
std::string freetypeVersion() {
    return std::to_string(FREETYPE_MAJOR) + "." + std::to_string(FREETYPE_MINOR) + "." + std::to_string(FREETYPE_PATCH);
}
