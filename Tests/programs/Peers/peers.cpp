// SPDX-License-Identifier: Apache-2.0
// Fills workloads with another rasterizer. Measures and prints like `inkpanel-bench raster`.
#include "peer.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <time.h>

namespace {
int64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// The same as Distribution.percentile(0.5).
int64_t median(std::vector<int64_t> values) {
    const auto middle = values.begin() + (values.size() - 1) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

struct Rasterizer {
    const char *name;
    std::unique_ptr<Peer> (*make)(const Workload &, Page &);
    std::string (*version)();
};
const Rasterizer rasterizers[] = {
    {"cairo", makeCairo, cairoVersion}, {"agg", makeAgg, aggVersion}, {"freetype", makeFreetype, freetypeVersion},
#ifdef WITH_BLEND2D
    {"blend2d", makeBlend2D, blend2DVersion},
#endif
};

struct Bench {
    const Workload &workload;
    Page page;
    std::unique_ptr<Peer> peer;

    Bench(const Rasterizer &rasterizer, const Workload &workload)
        : workload(workload), page(workload.width, workload.height), peer(rasterizer.make(workload, page)) {}

    void clear() {
        peer->release();
        page.clear();
        peer->resume();
    }

    int64_t list() {
        clear();
        const int64_t start = now();
        for (const auto &fill : workload.fills) peer->fill(fill, fill.color);
        return now() - start;
    }

    int64_t medianFill(int64_t repetitions) {
        std::vector<std::vector<int64_t>> times(workload.fills.size());
        for (; repetitions > 0; repetitions--) {
            clear();
            for (size_t index = 0; index < times.size(); index++) {
                const int64_t start = now();
                peer->fill(workload.fills[index], workload.fills[index].color);
                times[index].push_back(now() - start);
            }
        }
        std::vector<int64_t> medians;
        for (auto &values : times) medians.push_back(median(std::move(values)));
        return median(std::move(medians));
    }

    void dump(const std::string &path) {
        clear();
        for (const auto &fill : workload.fills) peer->fill(fill, 0);
        peer->release();
        std::vector<char> grey;
        for (uint32_t pixel : page.pixels) grey.push_back(char(pixel >> 16 & 255));
        std::ofstream file(path, std::ios::binary);
        file.write(grey.data(), std::streamsize(grey.size()));
        file.close();
        if (!file) throw std::runtime_error("cannot write " + path);
    }
};

void run(const Rasterizer &rasterizer, const std::string &path, int64_t repetitions, const std::string &dump) {
    const Workload workload = Workload::read(path);
    Bench bench(rasterizer, workload);
    const int64_t first = std::max<int64_t>(bench.list(), 1);
    // The same as FillTimes: two seconds, at least five repetitions; at most a thousand for single fills.
    const int64_t count = repetitions > 0 ? repetitions : std::clamp<int64_t>(2000000000 / first, 5, 100000);
    std::vector<int64_t> times;
    for (int64_t index = 0; index < count; index++) times.push_back(bench.list());
    const int64_t least = *std::min_element(times.begin(), times.end()), middle = median(std::move(times));
    std::printf("{\"bench\":\"raster\",\"peer\":\"%s\",\"version\":\"%s\",\"workload\":\"%s\",\"fills\":%zu,"
                "\"median_ns\":%lld,\"min_ns\":%lld,\"ns_per_fill\":%.1f",
                rasterizer.name, rasterizer.version().c_str(), workload.name.c_str(), workload.fills.size(),
                (long long)middle, (long long)least, double(middle) / double(workload.fills.size()));
    if (workload.fills.size() < 1000)
        std::printf(",\"median_fill_ns\":%lld", (long long)bench.medianFill(std::min<int64_t>(count, 1000)));
    std::printf("}\n");
    std::fflush(stdout);
    if (!dump.empty()) bench.dump(dump);
}

int usage() {
    std::string names;
    for (const auto &rasterizer : rasterizers) names += (names.empty() ? "" : "|") + std::string(rasterizer.name);
    std::fprintf(stderr, "usage: peers %s FILE.rpw... [--repeat N] [--dump FILE]\n", names.c_str());
    return 64;
}
}

int main(int count, char **arguments) {
    std::vector<std::string> files;
    std::string dump;
    int64_t repetitions = 0;
    for (int index = 2; index < count; index++) {
        const bool isOption = std::strncmp(arguments[index], "--", 2) == 0;
        if (isOption && index + 1 == count) return usage();
        if (!isOption) files.push_back(arguments[index]);
        else if (std::strcmp(arguments[index], "--repeat") == 0) repetitions = std::atoll(arguments[++index]);
        else if (std::strcmp(arguments[index], "--dump") == 0) dump = arguments[++index];
        else return usage();
    }
    const auto rasterizer = std::find_if(std::begin(rasterizers), std::end(rasterizers), [&](const Rasterizer &one) {
        return count > 1 && std::strcmp(one.name, arguments[1]) == 0;
    });
    if (rasterizer == std::end(rasterizers) || files.empty() || (!dump.empty() && files.size() != 1)) return usage();
    try {
        for (const auto &file : files) run(*rasterizer, file, repetitions, dump);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "peers: %s\n", error.what());
        return 65;
    }
}
