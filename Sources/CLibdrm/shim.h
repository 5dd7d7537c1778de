// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <xf86drm.h>
#include <xf86drmMode.h>
#include <drm_fourcc.h>

// Function-like macros are not imported by Swift; as constants they are.
static const uint32_t CLIBDRM_FORMAT_XRGB8888 = DRM_FORMAT_XRGB8888;
static const uint32_t CLIBDRM_FORMAT_ARGB8888 = DRM_FORMAT_ARGB8888;
