"""The paper's numerical section, whole, and yardsticks of others: figures as presets, their runs, step sizes."""

from holdfast.reproduction.figures import NAMES, YARDSTICKS, Curve, Figure, Panel, figure
