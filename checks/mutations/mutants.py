"""Small changes of a source file: another comparison, operator, number or bound, one at a time."""

import ast
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

BOUNDARY: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
NEGATION: dict[type, type] = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
BOOLEAN: dict[type, type] = {ast.And: ast.Or, ast.Or: ast.And}


class Mutant(NamedTuple):
    """A file with one change: in which function (none: the module or a class), the line before and after it."""

    path: Path
    function: str
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before}  ->  {self.after}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every change of a file that is not in an annotation, a message or a text."""
    source = path.read_text()
    for node, function in _expressions(ast.parse(source), ""):
        for changed in (*_other_operators(node), *_other_values(node)):
            yield _replaced(path, source, node, function, changed)


def _expressions(node: ast.AST, function: str, within: bool = False) -> Iterator[tuple[ast.expr, str]]:
    """Yield all expressions whose value matters, and the qualified name of the function that each is in.

    A function `within` another belongs to that: its tests are those that call the outer one.
    """
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "exc") or isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            inside = function
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and not within:
                inside = f"{function}.{child.name}"
            if isinstance(child, ast.expr):
                yield child, function
            yield from _expressions(child, inside, within or isinstance(child, ast.FunctionDef))


def _other_operators(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=[operator]):
            for table in (BOUNDARY, NEGATION):
                if type(operator) in table:
                    yield _with(node, ops=[table[type(operator)]()])
        case ast.BinOp(op=operator) if type(operator) in ARITHMETIC:
            yield _with(node, op=ARITHMETIC[type(operator)]())
        case ast.BoolOp(op=operator):
            yield _with(node, op=BOOLEAN[type(operator)]())
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse


def _other_values(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(2 * value if value else 1.0)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=step)):
            if lower is not None and not isinstance(lower, ast.Constant):
                yield _with(node, slice=ast.Slice(_one_more(lower), upper, step))
            if upper is not None and not isinstance(upper, ast.Constant):
                yield _with(node, slice=ast.Slice(lower, _one_more(upper), step))
        case ast.Call(func=ast.Name(id="range"), args=[*others, last]) if not isinstance(last, ast.Constant):
            yield _with(node, args=[*others, _one_more(last)])


def _with(node: ast.expr, **fields: object) -> ast.expr:
    changed = deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _one_more(node: ast.expr) -> ast.expr:
    return ast.BinOp(node, ast.Add(), ast.Constant(1))


def _replaced(path: Path, source: str, node: ast.expr, function: str, changed: ast.expr) -> Mutant:
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    text = ast.unparse(ast.fix_missing_locations(changed))
    if not isinstance(changed, ast.Constant | ast.Subscript | ast.Call | ast.Name):
        text = f"({text})"
    before = "".join(lines[first : last + 1]).strip()
    new = "".join([*lines[:first], head + text + tail, *lines[last + 1 :]])
    return Mutant(path, function.lstrip("."), " ".join(before.split()), (head + text + tail).strip(), new)
