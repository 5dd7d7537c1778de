// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Polygons to fill one after the other: the contents of an .rpw file, as Sources/inkpanel/Bench/RasterWorkload+File
// has its format.
struct Workload {
    struct Point { float x, y; };
    struct Range { uint32_t first, count; };
    struct Fill { Range contours; uint32_t color; };  // 0x00RRGGBB

    std::string name;
    uint32_t width = 0, height = 0;
    bool nonZero = true;
    std::vector<Fill> fills;
    std::vector<Range> contours;
    std::vector<Point> points;

    // What is wrong with the file is thrown.
    static Workload read(const std::string &path);
};

struct WorkloadError : std::runtime_error { using runtime_error::runtime_error; };
