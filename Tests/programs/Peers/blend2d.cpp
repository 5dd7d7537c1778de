// SPDX-License-Identifier: Apache-2.0
#include "peer.h"
#include <blend2d/blend2d.h>

namespace {
class Blend2D final : public Peer {
public:
    Blend2D(const Workload &workload, Page &page) : workload(workload) {
        for (const auto &point : workload.points) points.push_back(BLPoint(point.x, point.y));
        check(image.create_from_data(
            int(page.width), int(page.height), BL_FORMAT_XRGB32, page.pixels.data(), intptr_t(page.width) * 4));
        resume();
    }

    ~Blend2D() override { context.end(); }

    void fill(const Workload::Fill &fill, uint32_t color) override {
        if (color != source) {
            source = color;
            context.set_fill_style(BLRgba32(0xFF000000 | color));
        }
        // A polygon per contour: a path built by a call per point takes up to a tenth more time.
        if (fill.contours.count == 1) {
            const auto contour = workload.contours[fill.contours.first];
            context.fill_polygon(points.data() + contour.first, contour.count);
            return;
        }
        // Reused, so that no fill allocates.
        path.clear();
        for (uint32_t index = 0; index < fill.contours.count; index++) {
            const auto contour = workload.contours[fill.contours.first + index];
            path.add_polygon(points.data() + contour.first, contour.count);
        }
        context.fill_path(path);
    }

    void release() override { context.end(); }

    // Without worker threads, the default.
    void resume() override {
        check(context.begin(image));
        context.set_fill_rule(workload.nonZero ? BL_FILL_RULE_NON_ZERO : BL_FILL_RULE_EVEN_ODD);
        source = none;
    }

private:
    static constexpr uint32_t none = 0xFFFFFFFF;  // not a colour of any workload

    const Workload &workload;
    std::vector<BLPoint> points;
    BLImage image;
    BLContext context;
    BLPath path;
    uint32_t source = none;

    static void check(BLResult result) {
        if (result != BL_SUCCESS) throw std::runtime_error("Blend2D refuses the page");
    }
};
}

std::unique_ptr<Peer> makeBlend2D(const Workload &workload, Page &page) {
    return std::make_unique<Blend2D>(workload, page);
}

std::string blend2DVersion() {
    BLRuntimeBuildInfo info;
    BLRuntime::query_build_info(&info);
    return std::to_string(info.major_version) + "." + std::to_string(info.minor_version) + "."
        + std::to_string(info.patch_version);
}
