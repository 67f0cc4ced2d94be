"""Colours of pictures that are to be read on a light page and on a dark one."""

from __future__ import annotations

import math

__all__ = ["contrast", "twins"]

# Lighter colours fill areas or lie behind, darker ones are lines and text
_BEHIND = 0.8
# Colours of lines on white are no lighter: a contrast of 3
_LIGHTEST_LINE = 0.65

_Triple = tuple[float, float, float]


def twins(colour: str) -> tuple[str, str]:
    """Return a colour as it is to be on a light page and on a dark one.

    On a dark page lightness is turned around and hue is kept, in Oklab.

    Parameters
    ----------
    colour
        As `#rrggbb`, meant for white ground.

    Examples
    --------
    >>> from river_kdb.evaluate.colours import twins
    >>> twins("#0072b2")
    ('#0072b2', '#8cc9fc')
    >>> twins("#f2f8ee")
    ('#f2f8ee', '#1c2019')

    References
    ----------
    - Ottosson (2020), A perceptual color space for image processing,
      https://bottosson.github.io/posts/oklab/

    """
    lightness, a, b = _oklab(_linear(colour))
    if lightness > _BEHIND:
        return colour.lower(), _in_gamut(1.21 - lightness, a, b)
    light = colour.lower()
    if lightness > _LIGHTEST_LINE:
        light = _in_gamut(_LIGHTEST_LINE, a, b)
    return light, _in_gamut(1.0 - 0.35 * lightness, a, b)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as the WCAG define it.

    Examples
    --------
    >>> from river_kdb.evaluate.colours import contrast
    >>> round(contrast("#000000", "#ffffff"), 6)
    21.0

    """
    darker, lighter = sorted(_luminance(_linear(colour)) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _linear(colour: str) -> _Triple:
    """Return linear red, green and blue, from 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return _decoded(red), _decoded(green), _decoded(blue)


def _decoded(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _encoded(value: float) -> float:
    value = min(max(value, 0.0), 1.0)
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _luminance(rgb: _Triple) -> float:
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def _oklab(rgb: _Triple) -> _Triple:
    red, green, blue = rgb
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def _in_gamut(lightness: float, a: float, b: float) -> str:
    """Return the colour in hexadecimal digits, paler where it does not exist so vivid."""
    rgb = _rgb(lightness, a, b)
    for _ in range(30):
        if all(-1e-4 <= value <= 1.0001 for value in rgb):
            break
        a, b = 0.9 * a, 0.9 * b
        rgb = _rgb(lightness, a, b)
    return "#" + "".join(f"{round(255 * _encoded(value)):02x}" for value in rgb)


def _rgb(lightness: float, a: float, b: float) -> _Triple:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
