"""Image segmentation, and pictures of segments."""

from maxmargin.segmentation.outlines import alpha_matte, outline_polygons
from maxmargin.segmentation.regions import connected_regions
from maxmargin.segmentation.render import (
    draw_boundaries,
    find_boundaries,
    label_colors,
    label_mask,
    overlay,
)
from maxmargin.segmentation.segmenter import ImageSegmenter

__all__ = [
    "ImageSegmenter",
    "alpha_matte",
    "connected_regions",
    "draw_boundaries",
    "find_boundaries",
    "label_colors",
    "label_mask",
    "outline_polygons",
    "overlay",
]
