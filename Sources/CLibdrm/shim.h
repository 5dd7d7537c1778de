// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <xf86drm.h>
#include <xf86drmMode.h>
#include <drm_fourcc.h>

// A macro that calls a macro is not imported by Swift; as a constant it is.
static const uint32_t CLIBDRM_FORMAT_XRGB8888 = DRM_FORMAT_XRGB8888;
