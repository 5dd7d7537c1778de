// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "page.h"
#include "workload.h"
#include <memory>

// A rasterizer made ready for one workload: the points are converted to its own type, as inkpanel's are.
struct Peer {
    virtual ~Peer() = default;
    // Opaque, over the page; `color` is 0x00RRGGBB.
    virtual void fill(const Workload::Fill &fill, uint32_t color) = 0;
    // Before the page's pixels are looked at or changed by others, and afterwards.
    virtual void release() {}
    virtual void resume() {}
};

// The workload and the page outlive the peer.
std::unique_ptr<Peer> makeCairo(const Workload &, Page &);
std::unique_ptr<Peer> makeAgg(const Workload &, Page &);
std::unique_ptr<Peer> makeFreetype(const Workload &, Page &);
std::unique_ptr<Peer> makeBlend2D(const Workload &, Page &);
std::string cairoVersion();
std::string aggVersion();
std::string freetypeVersion();
std::string blend2DVersion();
