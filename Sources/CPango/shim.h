// SPDX-License-Identifier: Apache-2.0
// Pango's objects as plain pointers: which of its structures are complete differs between its versions, and GObject's
// casts are macros.
#pragma once
#include <fontconfig/fontconfig.h>
#include <pango/pangoft2.h>
#include <stdint.h>

/// A new context over the fonts that fontconfig knows, or NULL when there is not one font. For cpango_release.
static inline void *cpango_context(void) {
    // Pango has a thread of its own read fontconfig's hundred files of configuration, and so does whatever of it looks
    // for a font before that has ended: twice the work, the half of a program's start.
    FcInit();
    PangoFontMap *map = pango_ft2_font_map_new();
    PangoContext *context = pango_font_map_create_context(map);
    g_object_unref(map); // the context keeps it
    // Any description finds some font, if there is one; the families that the map lists include aliases for none.
    PangoFontDescription *any = pango_font_description_new();
    pango_font_description_set_absolute_size(any, 16 * PANGO_SCALE);
    PangoFont *font = pango_context_load_font(context, any);
    pango_font_description_free(any);
    if (font == NULL) {
        g_object_unref(context);
        return NULL;
    }
    g_object_unref(font);
    return context;
}

/// A new layout of one paragraph in UTF-8. For cpango_release.
/// size is that of the em and width the largest width before the end is left out, both in Pango units; width -1 is any.
static inline void *cpango_layout(void *context, const char *text, int count, const char *family, int weight, int size,
                                  int width) {
    PangoLayout *layout = pango_layout_new((PangoContext *)context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(font, family);
    pango_font_description_set_weight(font, (PangoWeight)weight);
    pango_font_description_set_absolute_size(font, size);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_width(layout, width);
    if (width >= 0) pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_text(layout, text, count);
    return layout;
}

/// The boxes of the layout's one line in pixels, from the start of its base line; y down.
static inline void cpango_extents(void *layout, PangoRectangle *ink, PangoRectangle *logical) {
    pango_layout_line_get_pixel_extents(pango_layout_get_line_readonly((PangoLayout *)layout, 0), ink, logical);
}

static inline int cpango_unknown_glyphs(void *layout) {
    return pango_layout_get_unknown_glyphs_count((PangoLayout *)layout);
}

/// Adds the line's coverage to a picture of 8-bit coverage; x and y are where in it the base line starts.
static inline void cpango_render(void *layout, uint8_t *coverage, unsigned width, unsigned height, int x, int y) {
    FT_Bitmap bitmap = {
        .rows = height, .width = width, .pitch = (int)width, .buffer = coverage, .num_grays = 256,
        .pixel_mode = FT_PIXEL_MODE_GRAY,
    };
    pango_ft2_render_layout_line(&bitmap, pango_layout_get_line_readonly((PangoLayout *)layout, 0), x, y);
}

/// Sets breaks[i] where a line may end before character i; count is in bytes, places one more than there are characters.
static inline void cpango_line_breaks(const char *text, int count, uint8_t *breaks, int places) {
    PangoLogAttr *attributes = g_new0(PangoLogAttr, places);
    pango_get_log_attrs(text, count, -1, pango_language_get_default(), attributes, places);
    for (int i = 0; i < places; i++) breaks[i] = attributes[i].is_line_break;
    g_free(attributes);
}

static inline void cpango_release(void *object) { g_object_unref(object); }
