// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "page.h"
#include "workload.h"
#include <memory>

// A rasterizer prepared for one workload: the points are converted to its own type beforehand.
struct Peer {
    virtual ~Peer() = default;
    // Draws an opaque fill. `color` is 0x00RRGGBB.
    virtual void fill(const Workload::Fill &fill, uint32_t color) = 0;
    // Called before and after other code reads or changes the pixels of the page.
    virtual void release() {}
    virtual void resume() {}
};

// The workload and the page must outlive the peer.
std::unique_ptr<Peer> makeCairo(const Workload &, Page &);
std::unique_ptr<Peer> makeAgg(const Workload &, Page &);
std::unique_ptr<Peer> makeFreetype(const Workload &, Page &);
std::unique_ptr<Peer> makeBlend2D(const Workload &, Page &);
std::string cairoVersion();
std::string aggVersion();
std::string freetypeVersion();
std::string blend2DVersion();
