"""The paper's numerical section, whole: its figures as presets, the runs they need, the search for step sizes."""

from holdfast.reproduction.figures import NAMES, Curve, Figure, Panel, figure

__all__ = ["NAMES", "Curve", "Figure", "Panel", "figure"]
