// SPDX-License-Identifier: Apache-2.0
// Compares pages drawn by rasterizers (--dump: 8-bit grey, black on white) with the exact page.
//
// The exact page is computed on many lines through each row of pixels, with the exact x extents of the ink on each
// line, and blended fill by fill without rounding. In flat edges it is off by up to the height of one line.
#include "workload.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {
struct Crossing { double x; int change; };

class Reference {
public:
    Reference(const Workload &workload, int linesPerPixel)
        : page(size_t(workload.width) * workload.height, 1), workload(workload), linesPerPixel(linesPerPixel),
          areas(workload.width + 2), steps(workload.width + 2) {
        for (const auto &fill : workload.fills) add(fill);
    }

    // 0 is full ink, 1 is paper.
    std::vector<double> page;
    // The number of fully and partly covered pixels in all fills.
    int64_t fullCount = 0, partialCount = 0;

private:
    const Workload &workload;
    const int linesPerPixel;
    std::vector<std::vector<Crossing>> lines;
    // For each pixel of a row: the area covered in part, and the change in the number of lines that cover it whole.
    std::vector<double> areas;
    std::vector<int> steps;

    void add(const Workload::Fill &fill) {
        double top = workload.height, bottom = 0;
        forEachEdge(fill, [&](Workload::Point start, Workload::Point) {
            top = std::min<double>(top, start.y);
            bottom = std::max<double>(bottom, start.y);
        });
        const int firstRow = std::max(0, int(std::floor(top)));
        const int lastRow = std::min(int(workload.height), int(std::ceil(bottom)));
        if (firstRow >= lastRow) return;
        const size_t count = size_t(lastRow - firstRow) * linesPerPixel;
        if (lines.size() < count) lines.resize(count);
        for (size_t line = 0; line < count; line++) lines[line].clear();
        forEachEdge(fill, [&](Workload::Point start, Workload::Point end) { cross(start, end, firstRow, count); });
        for (int row = firstRow; row < lastRow; row++) blend(row, size_t(row - firstRow) * linesPerPixel);
    }

    template <typename Body> void forEachEdge(const Workload::Fill &fill, Body body) const {
        for (uint32_t index = 0; index < fill.contours.count; index++) {
            const auto contour = workload.contours[fill.contours.first + index];
            const auto *points = workload.points.data() + contour.first;
            for (uint32_t point = 0; point < contour.count; point++)
                body(points[point], points[point + 1 < contour.count ? point + 1 : 0]);
        }
    }

    void cross(Workload::Point start, Workload::Point end, int firstRow, size_t count) {
        if (start.y == end.y) return;
        const auto upper = start.y < end.y ? start : end, lower = start.y < end.y ? end : start;
        const double slope = (double(lower.x) - upper.x) / (double(lower.y) - upper.y);
        const double first = std::ceil((double(upper.y) - firstRow) * linesPerPixel - 0.5);
        for (size_t line = first > 0 ? size_t(first) : 0; line < count; line++) {
            const double y = firstRow + (double(line) + 0.5) / linesPerPixel;
            if (y >= lower.y) return;
            const double x = upper.x + slope * (y - upper.y);
            lines[line].push_back({std::clamp(x, 0.0, double(workload.width)), start.y < end.y ? 1 : -1});
        }
    }

    void blend(int row, size_t firstLine) {
        double left = workload.width, right = 0;
        for (size_t line = firstLine; line < firstLine + linesPerPixel; line++) {
            auto &crossings = lines[line];
            std::sort(crossings.begin(), crossings.end(), [](Crossing a, Crossing b) { return a.x < b.x; });
            int winding = 0;
            for (size_t index = 0; index < crossings.size(); index++) {
                const bool isInside = workload.nonZero ? winding != 0 : winding % 2 != 0;
                if (isInside) cover(crossings[index - 1].x, crossings[index].x);
                winding += crossings[index].change;
            }
            if (crossings.empty()) continue;
            left = std::min(left, crossings.front().x);
            right = std::max(right, crossings.back().x);
        }
        if (left >= right) return;
        int covering = 0;
        const size_t end = std::min<size_t>(size_t(right) + 1, workload.width);
        for (size_t x = size_t(left); x <= end; x++) {
            covering += steps[x];
            const double coverage = (areas[x] + covering) / linesPerPixel;
            areas[x] = 0;
            steps[x] = 0;
            if (x == workload.width) break;
            page[size_t(row) * workload.width + x] *= 1 - coverage;
            // The sum of pieces that meet in a pixel is not exactly 1.
            if (coverage > 1 - 1e-9) fullCount++;
            else if (coverage > 0) partialCount++;
        }
    }

    void cover(double left, double right) {
        const size_t first = size_t(left), last = size_t(right);
        if (first == last) {
            areas[first] += right - left;
            return;
        }
        areas[first] += double(first + 1) - left;
        areas[last] += right - double(last);
        steps[first + 1]++;
        steps[last]--;
    }
};

void compare(const Workload &workload, const Reference &reference, const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file || bytes.size() != reference.page.size()) throw WorkloadError(path + ": not a page of this workload");
    double sum = 0, most = 0;
    int64_t count = 0, coarse = 0;
    for (size_t index = 0; index < bytes.size(); index++) {
        // Full ink, apart from rounding.
        const double exact = reference.page[index] < 1e-9 ? 0 : reference.page[index] * 255;
        const double dumped = static_cast<unsigned char>(bytes[index]);
        if ((exact == 255 && dumped == 255) || (exact == 0 && dumped == 0)) continue;
        const double error = std::fabs(exact - dumped);
        sum += error;
        most = std::max(most, error);
        count++;
        coarse += error > 8;
    }
    const double total = double(std::max<int64_t>(count, 1));
    std::printf("{\"dump\":\"%s\",\"workload\":\"%s\",\"pixels\":%lld,\"mean\":%.4f,\"max\":%.2f,"
                "\"above_8_percent\":%.4f}\n",
                path.c_str(), workload.name.c_str(), (long long)count, sum / total, most, 100 * double(coarse) / total);
}
}

int main(int count, char **arguments) {
    const int lines = count > 2 ? std::atoi(arguments[1]) : 0;
    if (lines < 1 || lines > 1024) {
        std::fprintf(stderr, "usage: reference LINES FILE.rpw [DUMP...]\n  LINES: through each row of pixels, 64\n");
        return 64;
    }
    try {
        const auto workload = Workload::read(arguments[2]);
        const Reference reference(workload, lines);
        const double fills = double(workload.fills.size());
        std::printf("{\"workload\":\"%s\",\"fills\":%zu,\"full_per_fill\":%.1f,\"partial_per_fill\":%.1f}\n",
                    workload.name.c_str(), workload.fills.size(), double(reference.fullCount) / fills,
                    double(reference.partialCount) / fills);
        for (int index = 3; index < count; index++) compare(workload, reference, arguments[index]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "reference: %s\n", error.what());
        return 65;
    }
}
