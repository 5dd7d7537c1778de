// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Polygons to fill one by one: the contents of an .rpw file. RasterAccuracy/Workload.swift describes the format.
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

    // Throws if the file is not a workload.
    static Workload read(const std::string &path);
};

struct WorkloadError : std::runtime_error { using runtime_error::runtime_error; };
