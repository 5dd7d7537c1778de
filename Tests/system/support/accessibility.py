# SPDX-License-Identifier: Apache-2.0
"""What tests measure of pages for people who use keyboards, screen readers, large letters or colours of their own."""

import io
from functools import cache

from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image, ImageChops

# WCAG 2.2 AA, and what the authors of axe advise besides.
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
    # Not among those that run by themselves.
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations", "incomplete"],
}

# Functions on colours. Grounds are those of the ancestors; what axe cannot decide is mostly a text that others overlap.
COLOURS = """
    const parts = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { r, g, b, a } };
    const luminance = ({ r, g, b }) => [r, g, b].map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = (one, other) => {
        const [less, more] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (more + 0.05) / (less + 0.05);
    };
    const ground = (element) => {
        for (let each = element; each; each = each.parentElement) {
            const colour = parts(getComputedStyle(each).backgroundColor);
            if (colour.a === 1) return colour;
        }
        return parts(getComputedStyle(document.documentElement).colorScheme.includes("dark")
            && matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)");
    };
    const named = (element) => element.outerHTML.slice(0, 120);
"""

DIM = "(selectors) => {" + COLOURS + """
    const found = [];
    for (const selector of selectors) {
        const element = document.querySelector(selector);
        const colour = parts(getComputedStyle(element).color);
        // Words that the pad's own picture shows: tests of its pictures measure these.
        if (colour.a === 0) continue;
        if (contrast(colour, ground(element)) < 4.5) found.push("dim text: " + named(element));
    }
    for (const element of document.querySelectorAll("input, select, textarea")) {
        const style = getComputedStyle(element);
        const isNative = ["checkbox", "radio", "range", "file"].includes(element.type);
        if (isNative || element.disabled || !element.checkVisibility()) continue;
        const frame = parts(style.borderTopColor);
        if (contrast(frame, ground(element.parentElement)) < 3) found.push("dim frame: " + named(element));
        const words = parts(getComputedStyle(element, "::placeholder").color);
        const isDim = element.placeholder && contrast(words, ground(element)) < 4.5;
        if (isDim) found.push("dim placeholder: " + named(element));
    }
    return found;
}"""


def findings(page, *, colours_only: bool = False) -> list[str]:
    """What axe finds, and dim texts and frames that it cannot measure. `colours_only`: for another colour scheme."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    rules = {**RULES, "runOnly": {"type": "rule", "values": ["color-contrast"]}} if colours_only else RULES
    result = page.evaluate("(rules) => axe.run(rules)", rules)
    undecided = [(rule["id"], node) for rule in result["incomplete"] for node in rule["nodes"]]
    found = [(rule["id"], node) for rule in result["violations"] for node in rule["nodes"]]
    found += [(name, node) for name, node in undecided if name != "color-contrast"]
    dim = page.evaluate(DIM, [node["target"][0] for name, node in undecided if name == "color-contrast"])
    return [f"{name}: {node['html'][:120]} {node.get('failureSummary', '')}" for name, node in found] + dim


def beyond(page) -> list[str]:
    """What is wider than the window, needs scrolling to the side, has cut words, or lies on something else."""
    return page.evaluate("""() => [...document.querySelectorAll("body, body *")].filter((element) => {
        const { right, left, top, bottom } = element.getBoundingClientRect();
        // Texts for screen readers alone are cut on purpose; inputs scroll with what is typed.
        if (getComputedStyle(element).clipPath !== "none") return false;
        if (element.closest(".words, svg, input, select, textarea") || !element.checkVisibility()) return false;
        // WCAG 1.4.10 allows it for tables of figures; keys scroll these.
        const scrolls = !element.matches("[role=region][tabindex='0']:has(> table)")
            && /auto|scroll/.test(getComputedStyle(element).overflowX)
            && element.scrollWidth > element.clientWidth + 1;
        const isCut = element.matches("button, a, summary, label") && !element.closest(".over")
            && element.scrollWidth > element.clientWidth + 1;
        const beside = element.matches(".remove") ? [...element.parentElement.children] : [];
        const isOn = beside.some((other) => {
            const place = other.getBoundingClientRect();
            return other !== element && place.width && place.right > left + 1 && place.left < right - 1
                && place.bottom > top + 1 && place.top < bottom - 1;
        });
        return right > innerWidth + 1 || left < -1 || scrolls || isCut || isOn;
    }).map((element) => element.outerHTML.slice(0, 120))""")


# Of buttons, those without a frame. Pictures have drawn ones.
BARE = """() => [...document.querySelectorAll("button:not(.over button), a.button")].filter((element) => {
    const { borderTopStyle, borderTopWidth } = getComputedStyle(element);
    return element.checkVisibility() && (borderTopStyle === "none" || parseFloat(borderTopWidth) < 1);
}).map((element) => element.outerHTML.slice(0, 120))"""

# In the units of WCAG 1.4.12. By the object model, which content security policies allow.
SPACED = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
        * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
        p { margin-bottom: 2em !important }`);
    document.adoptedStyleSheets = [sheet];
}"""

FOCUSED = """() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    element.scrollIntoView({ block: "nearest" });
    // A label is a part of its check box.
    const target = element.matches("[type=checkbox], [type=radio]") ? element.closest("label") ?? element : element;
    const { x, y, width, height } = element.getBoundingClientRect();
    const size = target.getBoundingClientRect();
    return {
        html: element.outerHTML.slice(0, 120),
        id: element.id || element.name || element.className || element.tagName,
        x, y, width, height, top: y + scrollY, least: Math.min(size.width, size.height),
        isOver: Boolean(element.closest(".over")),
        isKnown: element.matches("a[href], button, input, select, textarea, summary, [role=slider]")
            || element.matches("[tabindex='0']:is(pre, ol, [role=region])"),
    };
}"""


def sideways(page) -> list[str]:
    """What needs scrolling to the side at this width, also with the spaces that readers may set; walks the page."""
    found = beyond(page)
    walk(page, looks=False)
    page.evaluate(SPACED)
    return found + beyond(page)


@cache
def luminance(colour: bytes) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def seen(page, stop: dict) -> int:
    """Pixels that show where the focus is: those that change by 3:1 or more without its sign."""
    size = page.viewport_size
    left, top = max(stop["x"] - 8, 0), max(stop["y"] - 8, 0)
    right = min(stop["x"] + stop["width"] + 8, size["width"])
    bottom = min(stop["y"] + stop["height"] + 8, size["height"])
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    pictures = []
    for sign in ("", "none"):
        page.evaluate("""(sign) => { for (const name of ["outline", "box-shadow"]) {
            document.activeElement.style.setProperty(name, sign, "important") } }""", sign)
        pictures.append(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))
    page.evaluate("""() => { for (const name of ["outline", "box-shadow"]) {
        document.activeElement.style.removeProperty(name) } }""")
    differs = ImageChops.difference(*pictures).convert("L").tobytes()
    one, other = (picture.tobytes() for picture in pictures)
    changed = 0
    for at in (3 * index for index, value in enumerate(differs) if value):
        less, more = sorted(luminance(picture[at:at + 3]) for picture in (one, other))
        changed += (more + 0.05) / (less + 0.05) >= 3
    return changed


def walk(page, *, looks: bool = True, most: int = 150) -> list[str]:
    """Tabs once through the page, and returns the ids of what had the focus. Each must be seen and large enough, and
    native or a part that keys move. In narrow windows, none may be above the one before."""
    # From the start of the page, wherever the focus was.
    page.evaluate("""() => {
        document.body.tabIndex = -1;
        document.body.focus();
        document.body.removeAttribute("tabindex");
    }""")
    names, stops = [], []
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        # Behind the last one is the browser's own window, and then the first one again.
        if stop is None or (stops and stop["html"] == stops[0]["html"] and stop["top"] == stops[0]["top"]):
            break
        assert stop["isKnown"], stop
        assert stop["isOver"] or stop["least"] >= 24, stop
        if looks:
            assert seen(page, stop) >= stop["width"] + stop["height"], stop
        names.append(stop["id"])
        stops.append(stop)
    else:
        raise AssertionError(f"no end of the page: {names}")
    if page.viewport_size["width"] < 500:
        # In one column.
        for before, after in zip(stops, stops[1:]):
            assert after["top"] + after["height"] > before["top"] or before["isOver"], (before, after)
    return names
