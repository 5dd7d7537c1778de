// SPDX-License-Identifier: Apache-2.0
#include "peer.h"
#include <cairo.h>

namespace {
struct Point { double x, y; };

class Cairo final : public Peer {
public:
    Cairo(const Workload &workload, Page &page) : workload(workload) {
        for (const auto &point : workload.points) points.push_back({point.x, point.y});
        surface = cairo_image_surface_create_for_data(
            reinterpret_cast<unsigned char *>(page.pixels.data()), CAIRO_FORMAT_RGB24, int(page.width),
            int(page.height), int(page.width * 4));
        context = cairo_create(surface);
        if (cairo_status(context) != CAIRO_STATUS_SUCCESS) throw std::runtime_error("cairo refuses the page");
        cairo_set_antialias(context, CAIRO_ANTIALIAS_DEFAULT);
        cairo_set_fill_rule(context, workload.nonZero ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD);
    }

    ~Cairo() override {
        cairo_destroy(context);
        cairo_surface_destroy(surface);
    }

    void fill(const Workload::Fill &fill, uint32_t color) override {
        // A source is an object, which programs reuse.
        if (color != source) {
            source = color;
            cairo_set_source_rgb(
                context, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
        }
        for (uint32_t index = 0; index < fill.contours.count; index++) {
            const auto contour = workload.contours[fill.contours.first + index];
            const Point *point = points.data() + contour.first;
            for (uint32_t left = contour.count; left > 0; left--, point++)
                if (left == contour.count) cairo_move_to(context, point->x, point->y);
                else cairo_line_to(context, point->x, point->y);
            cairo_close_path(context);
        }
        cairo_fill(context);
    }

    void release() override { cairo_surface_flush(surface); }
    void resume() override { cairo_surface_mark_dirty(surface); }

private:
    const Workload &workload;
    std::vector<Point> points;
    cairo_surface_t *surface;
    cairo_t *context;
    uint32_t source = 0xFFFFFFFF;  // not a colour of any workload
};
}

std::unique_ptr<Peer> makeCairo(const Workload &workload, Page &page) {
    return std::make_unique<Cairo>(workload, page);
}
std::string cairoVersion() { return cairo_version_string(); }
