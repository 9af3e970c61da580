"""Pages from the templates beside this module; what is put into HTML is escaped."""

import re
from functools import cache

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from holdfast.report.colours import DARK, LIGHT


@cache
def bundled(script: str) -> Markup:
    """Return a script together with the libraries that it needs."""
    return Markup(vl_convert.javascript_bundle(script))  # our own file and Vega's code: escaped, it would not run


def together(cell: object) -> str:
    """Return a cell as text that does not wrap between a number and its error, or a name and its value."""
    return re.sub(" (?=[±=])|(?<=[±=]) ", "\N{NO-BREAK SPACE}", str(cell))


def breaking(head: object) -> str:
    """Return a head as text that may also wrap between the options of a part, which is one long word otherwise."""
    return re.sub(r",(?=[^\W\d])", ",\N{ZERO WIDTH SPACE}", together(head))


ENVIRONMENT = Environment(
    loader=PackageLoader("holdfast.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters |= {"bundled": bundled, "together": together, "breaking": breaking}
ENVIRONMENT.globals["colours"] = {"light": LIGHT, "dark": DARK}


def render(template: str, **values: object) -> str:
    """Return a page, or a part of one, with these values.

    A page has a `title` (what it is about) and a `headline` (what happened, in a sentence), perhaps `conclusions`.
    """
    return ENVIRONMENT.get_template(template).render(values)
