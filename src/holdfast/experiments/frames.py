"""Rows or columns as a pandas DataFrame, for those who have pandas."""

from importlib import import_module
from typing import Any

from holdfast.errors import InvalidInput


def frame(values: Any) -> Any:
    """Return a pandas DataFrame of these rows or columns."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise InvalidInput("a frame needs pandas: pip install pandas; got no module named pandas") from None
    return pandas.DataFrame(values)
