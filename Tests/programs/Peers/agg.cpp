// SPDX-License-Identifier: Apache-2.0
#include "peer.h"
#include <agg_pixfmt_rgb.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_rendering_buffer.h>
#include <agg_scanline_p.h>
#include <cmath>

namespace {
struct Point { int x, y; };  // 24.8 bits

class Agg final : public Peer {
public:
    Agg(const Workload &workload, Page &page)
        : workload(workload),
          buffer(reinterpret_cast<agg::int8u *>(page.pixels.data()), page.width, page.height, int(page.width * 4)),
          format(buffer), base(format) {
        for (const auto &point : workload.points)
            points.push_back({int(std::lround(point.x * 256)), int(std::lround(point.y * 256))});
        rasterizer.filling_rule(workload.nonZero ? agg::fill_non_zero : agg::fill_even_odd);
    }

    void fill(const Workload::Fill &fill, uint32_t color) override {
        rasterizer.reset();
        for (uint32_t index = 0; index < fill.contours.count; index++) {
            const auto contour = workload.contours[fill.contours.first + index];
            const Point *point = points.data() + contour.first;
            for (uint32_t left = contour.count; left > 0; left--, point++)
                if (left == contour.count) rasterizer.move_to(point->x, point->y);
                else rasterizer.line_to(point->x, point->y);
            rasterizer.close_polygon();
        }
        agg::render_scanlines_aa_solid(
            rasterizer, scanline, base, agg::rgba8(color >> 16 & 255, color >> 8 & 255, color & 255));
    }

private:
    const Workload &workload;
    std::vector<Point> points;
    agg::rendering_buffer buffer;
    agg::pixfmt_bgrx32 format;  // XRGB8888 as bytes
    agg::renderer_base<agg::pixfmt_bgrx32> base;
    agg::rasterizer_scanline_aa<> rasterizer;
    agg::scanline_p8 scanline;
};
}

std::unique_ptr<Peer> makeAgg(const Workload &workload, Page &page) { return std::make_unique<Agg>(workload, page); }
std::string aggVersion() { return "2.6"; }
