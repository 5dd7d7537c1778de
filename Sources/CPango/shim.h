// SPDX-License-Identifier: Apache-2.0
// Pango's objects as plain pointers: which of its structures are complete differs between its versions, and GObject's
// casts are macros.
#pragma once
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include <pango/pangofc-font.h>
#include <pango/pangoft2.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>

/// Makes fontconfig offer this process no fonts but those of outlines without colour, for as long as it runs: Pango draws
/// bitmaps in their own size, whatever the text has, and colours as coverage. Outlines are not hinted, whatever the
/// system's rules say: Debian 13's lose the top bar of a 7 at page sizes. Returns 0 if memory runs out. Call once.
static inline int cpango_use_outlines(void) {
    static const char rules[] =
        "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig><selectfont><rejectfont>"
        "<pattern><patelt name='outline'><bool>false</bool></patelt></pattern>"
        "<pattern><patelt name='scalable'><bool>false</bool></patelt></pattern>"
        "<pattern><patelt name='color'><bool>true</bool></patelt></pattern>"
        "</rejectfont></selectfont><match target='font'>"
        "<edit name='hinting' mode='assign'><bool>false</bool></edit>"
        "<edit name='autohint' mode='assign'><bool>false</bool></edit>"
        "<edit name='hintstyle' mode='assign'><const>hintnone</const></edit></match></fontconfig>";
    FcConfig *config = FcInitLoadConfig();
    if (config == NULL) return 0;
    // fontconfig would read its files again when they change, and forget the rules.
    FcConfigSetRescanInterval(config, 0);
    // Before a thread of Pango and the first search for a font both read fontconfig's hundred files, which is half of a
    // program's start.
    int done = FcConfigParseAndLoadFromMemory(config, (const FcChar8 *)rules, FcTrue) && FcConfigBuildFonts(config) &&
               FcConfigSetCurrent(config);
    FcConfigDestroy(config); // fontconfig keeps the current one
    return done;
}

/// A new context over the fonts that fontconfig knows, or NULL when there is not one font. For cpango_release.
static inline void *cpango_context(void) {
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

/// A new layout of a text in UTF-8, for cpango_release. `size` is the em and `width` the width of the lines, both in Pango
/// units; the height is limited to `height` Pango units by an ellipsis, or not at all if it is 0. `features` are
/// OpenType's. `alignment` is 0 for the left, 1 for the middle and 2 for the right, whatever the direction of the text.
static inline void *cpango_layout(void *context, const char *text, int count, const char *family, const char *features,
                                  int weight, int size, int width, int height, int alignment, float spacing) {
    PangoLayout *layout = pango_layout_new((PangoContext *)context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(font, family);
    pango_font_description_set_weight(font, (PangoWeight)weight);
    pango_font_description_set_absolute_size(font, size);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new(features));
    // Pango would put a hyphen wherever it breaks a word, which reads as part of a number or a name. Only soft hyphens
    // show. The attribute takes effect from its second character.
    for (const char *start = text; start != NULL;) {
        const char *hyphen = strstr(start, "\u00AD");
        PangoAttribute *none = pango_attr_insert_hyphens_new(FALSE);
        none->start_index = start - text;
        start = hyphen == NULL ? NULL : hyphen + strlen("\u00AD");
        none->end_index = start == NULL ? PANGO_ATTR_INDEX_TO_TEXT_END : (guint)(start - text);
        pango_attr_list_insert(attributes, none);
    }
    pango_layout_set_attributes(layout, attributes);
    pango_attr_list_unref(attributes);
    pango_layout_set_width(layout, width);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_line_spacing(layout, spacing);
    if (height > 0) {
        pango_layout_set_height(layout, height);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    }
    // Pango swaps left and right for a paragraph from right to left.
    gboolean swaps = pango_find_base_dir(text, count) == PANGO_DIRECTION_RTL;
    pango_layout_set_alignment(layout, alignment == 1                ? PANGO_ALIGN_CENTER
                                       : (alignment == 2) != swaps ? PANGO_ALIGN_RIGHT
                                                                   : PANGO_ALIGN_LEFT);
    pango_layout_set_text(layout, text, count);
    return layout;
}

/// The boxes of the layout in pixels, from its upper left corner; y down.
static inline void cpango_extents(void *layout, PangoRectangle *ink, PangoRectangle *logical) {
    pango_layout_get_pixel_extents((PangoLayout *)layout, ink, logical);
}

/// The distance from the top of the layout to the baseline of its first line, in pixels.
static inline int cpango_baseline(void *layout) {
    return PANGO_PIXELS(pango_layout_get_baseline((PangoLayout *)layout));
}

static inline int cpango_line_count(void *layout) { return pango_layout_get_line_count((PangoLayout *)layout); }

/// Whether a line ends where Unicode's line breaking algorithm (UAX #14) does not allow it.
static inline int cpango_breaks_words(void *layout) {
    int count;
    const PangoLogAttr *attributes = pango_layout_get_log_attrs_readonly((PangoLayout *)layout, &count);
    const char *text = pango_layout_get_text((PangoLayout *)layout);
    for (GSList *item = pango_layout_get_lines_readonly((PangoLayout *)layout); item != NULL; item = item->next) {
        const PangoLayoutLine *line = (const PangoLayoutLine *)item->data;
        if (line->is_paragraph_start) continue;
        long place = g_utf8_pointer_to_offset(text, text + line->start_index);
        if (place < count && !attributes[place].is_line_break) return 1;
    }
    return 0;
}

static inline const char *cpango_text(void *layout) { return pango_layout_get_text((PangoLayout *)layout); }

/// Writes the bytes of the text at which each line ends, with the line feed after it, and whether Unicode's line
/// breaking algorithm allows that. Returns the number of lines, of which no more than `limit` are written.
static inline int cpango_line_ends(void *layout, int *ends, unsigned char *allowed, int limit) {
    int count, lines = 0;
    const PangoLogAttr *attributes = pango_layout_get_log_attrs_readonly((PangoLayout *)layout, &count);
    const char *text = pango_layout_get_text((PangoLayout *)layout);
    for (GSList *item = pango_layout_get_lines_readonly((PangoLayout *)layout); item != NULL; item = item->next) {
        const PangoLayoutLine *next = item->next == NULL ? NULL : (const PangoLayoutLine *)item->next->data;
        int end = next == NULL ? (int)strlen(text) : next->start_index;
        long place = g_utf8_pointer_to_offset(text, text + end);
        if (lines < limit) {
            ends[lines] = end;
            allowed[lines] = next == NULL || next->is_paragraph_start || place >= count || attributes[place].is_line_break;
        }
        lines++;
    }
    return lines;
}

/// Writes the name and version of the font of the layout's run of this number to `name`, such as "Inter Regular 3.019".
/// Returns 0 after the last run.
static inline int cpango_font_of_run(void *layout, int number, char *name, size_t size) {
    name[0] = 0;
    PangoLayoutIter *iter = pango_layout_get_iter((PangoLayout *)layout);
    int found = 0;
    do {
        PangoLayoutRun *run = pango_layout_iter_get_run_readonly(iter); // NULL at the end of a line
        if (run == NULL || number-- > 0) continue;
        found = 1;
        FcPattern *pattern = pango_fc_font_get_pattern(PANGO_FC_FONT(run->item->analysis.font));
        FcChar8 *family = NULL, *style = NULL;
        int version = 0;
        FcPatternGetString(pattern, FC_FAMILY, 0, &family);
        FcPatternGetString(pattern, FC_STYLE, 0, &style);
        FcPatternGetInteger(pattern, FC_FONTVERSION, 0, &version);
        // fontRevision of the table `head`: 16.16 fixed point.
        snprintf(name, size, "%s %s %.3f", family == NULL ? (FcChar8 *)"?" : family,
                 style == NULL ? (FcChar8 *)"?" : style, version / 65536.0);
    } while (!found && pango_layout_iter_next_run(iter));
    pango_layout_iter_free(iter);
    return found;
}

/// Set for a character that a font has, but without ink.
#define CPANGO_NO_INK 0x80000000u

/// Writes up to `limit` characters of the layout that no font has, or that leave no ink: with CPANGO_NO_INK the first
/// character of a cluster, which may be meant to leave none. Returns their number.
static inline int cpango_missing(void *layout, uint32_t *characters, int limit) {
    const char *text = pango_layout_get_text((PangoLayout *)layout);
    PangoLayoutIter *iter = pango_layout_get_iter((PangoLayout *)layout);
    int count = 0;
    do {
        PangoLayoutRun *run = pango_layout_iter_get_run_readonly(iter); // NULL at the end of a line
        for (int i = 0; run != NULL && i < run->glyphs->num_glyphs && count < limit; i++) {
            PangoGlyph glyph = run->glyphs->glyphs[i].glyph;
            if (glyph & PANGO_GLYPH_UNKNOWN_FLAG) characters[count++] = glyph & ~PANGO_GLYPH_UNKNOWN_FLAG;
        }
    } while (pango_layout_iter_next_run(iter));
    pango_layout_iter_free(iter);
    iter = pango_layout_get_iter((PangoLayout *)layout);
    do {
        if (pango_layout_iter_get_run_readonly(iter) == NULL) continue;
        PangoRectangle ink;
        pango_layout_iter_get_cluster_extents(iter, &ink, NULL);
        if (ink.width > 0 && ink.height > 0) continue;
        const char *start = text + pango_layout_iter_get_index(iter);
        if (*start != 0 && count < limit) characters[count++] = g_utf8_get_char(start) | CPANGO_NO_INK;
    } while (pango_layout_iter_next_cluster(iter));
    pango_layout_iter_free(iter);
    return count;
}

/// Adds the layout's coverage to a picture of 8-bit coverage; x and y are where in it the layout's upper left corner is.
static inline void cpango_render(void *layout, uint8_t *coverage, unsigned width, unsigned height, int x, int y) {
    FT_Bitmap bitmap = {
        .rows = height, .width = width, .pitch = (int)width, .buffer = coverage, .num_grays = 256,
        .pixel_mode = FT_PIXEL_MODE_GRAY,
    };
    pango_ft2_render_layout(&bitmap, (PangoLayout *)layout, x, y);
}

/// The receiver of cpango_outline's steps: each begins a contour, or continues it by a line or a curve. Positions are
/// in pixels from the layout's upper left corner; y down.
typedef struct {
    void *target;
    void (*move)(void *target, double x, double y);
    void (*line)(void *target, double x, double y);
    void (*cubic)(void *target, double x1, double y1, double x2, double y2, double x, double y);
    // The place of the glyph, and the end of the last step.
    double x, y, last_x, last_y;
} cpango_pen;

static inline double cpango_pen_x(const cpango_pen *pen, const FT_Vector *to) { return pen->x + to->x / 64.0; }
static inline double cpango_pen_y(const cpango_pen *pen, const FT_Vector *to) { return pen->y - to->y / 64.0; }

static inline void cpango_pen_end(cpango_pen *pen, const FT_Vector *to) {
    pen->last_x = cpango_pen_x(pen, to);
    pen->last_y = cpango_pen_y(pen, to);
}

static inline int cpango_pen_move(const FT_Vector *to, void *user) {
    cpango_pen *pen = (cpango_pen *)user;
    cpango_pen_end(pen, to);
    pen->move(pen->target, pen->last_x, pen->last_y);
    return 0;
}

static inline int cpango_pen_line(const FT_Vector *to, void *user) {
    cpango_pen *pen = (cpango_pen *)user;
    cpango_pen_end(pen, to);
    pen->line(pen->target, pen->last_x, pen->last_y);
    return 0;
}

// A quadratic curve, as TrueType has them, is a cubic one whose control points are at two thirds of the way to its own.
static inline int cpango_pen_conic(const FT_Vector *control, const FT_Vector *to, void *user) {
    cpango_pen *pen = (cpango_pen *)user;
    double x = cpango_pen_x(pen, control), y = cpango_pen_y(pen, control);
    double x1 = pen->last_x + (x - pen->last_x) * 2 / 3, y1 = pen->last_y + (y - pen->last_y) * 2 / 3;
    cpango_pen_end(pen, to);
    double x2 = pen->last_x + (x - pen->last_x) * 2 / 3, y2 = pen->last_y + (y - pen->last_y) * 2 / 3;
    pen->cubic(pen->target, x1, y1, x2, y2, pen->last_x, pen->last_y);
    return 0;
}

static inline int cpango_pen_cubic(const FT_Vector *first, const FT_Vector *second, const FT_Vector *to, void *user) {
    cpango_pen *pen = (cpango_pen *)user;
    cpango_pen_end(pen, to);
    pen->cubic(pen->target, cpango_pen_x(pen, first), cpango_pen_y(pen, first), cpango_pen_x(pen, second),
               cpango_pen_y(pen, second), pen->last_x, pen->last_y);
    return 0;
}

/// Gives the outlines of the layout's glyphs to the pen, without hints for pixels, by the non-zero rule.
static inline void cpango_outline(void *layout, cpango_pen *pen) {
    static const FT_Outline_Funcs steps = {
        .move_to = cpango_pen_move, .line_to = cpango_pen_line, .conic_to = cpango_pen_conic,
        .cubic_to = cpango_pen_cubic,
    };
    PangoLayoutIter *iter = pango_layout_get_iter((PangoLayout *)layout);
    do {
        PangoLayoutRun *run = pango_layout_iter_get_run_readonly(iter); // NULL at the end of a line
        if (run == NULL) continue;
        PangoRectangle extents;
        pango_layout_iter_get_run_extents(iter, NULL, &extents);
        double x = extents.x, y = pango_layout_iter_get_baseline(iter);
        PangoFcFont *font = PANGO_FC_FONT(run->item->analysis.font);
        FT_Face face = pango_fc_font_lock_face(font);
        for (int i = 0; face != NULL && i < run->glyphs->num_glyphs; i++) {
            const PangoGlyphInfo *info = &run->glyphs->glyphs[i];
            pen->x = (x + info->geometry.x_offset) / PANGO_SCALE;
            pen->y = (y + info->geometry.y_offset) / PANGO_SCALE;
            x += info->geometry.width;
            if (info->glyph == PANGO_GLYPH_EMPTY || info->glyph & PANGO_GLYPH_UNKNOWN_FLAG) continue;
            if (FT_Load_Glyph(face, info->glyph, FT_LOAD_NO_BITMAP | FT_LOAD_NO_HINTING) != 0) continue;
            if (face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) continue;
            FT_Outline_Decompose(&face->glyph->outline, &steps, pen);
        }
        if (face != NULL) pango_fc_font_unlock_face(font);
    } while (pango_layout_iter_next_run(iter));
    pango_layout_iter_free(iter);
}

static inline void cpango_release(void *object) { g_object_unref(object); }
