"""The app that `holdfast federation init` writes, in the form that Flower's hub asks for."""

from importlib.resources import files
from pathlib import Path

from holdfast.errors import InvalidInput, unknown
from holdfast.federation.trial.certificates import LOOPBACK, write_certificates, write_node_key
from holdfast.files import write_atomic

SECRETS = ".trial"
"""Where keys, certificates and all that a trial writes are; Flower packs nothing of it into the app."""
ENDING = ".template"
FRAMEWORKS = {"numpy": "holdfast[flower]", "torch": 'holdfast[flower]", "torch'}
"""What the model is written in, and what an app of that kind depends on."""


def write_app(folder: Path, nodes: int, framework: str = "numpy", host: str = LOOPBACK) -> list[Path]:
    """Write an app, certificates for a server and the keys of so many nodes; return the files to look at."""
    if framework not in FRAMEWORKS:
        raise unknown("framework", framework, FRAMEWORKS)
    if nodes < 1:
        raise InvalidInput(f"--nodes must be at least 1; got {nodes}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"a new federation needs a new or empty folder; got {folder}")
    secrets = folder / SECRETS
    write_certificates(secrets, host)  # first: what cannot be made leaves nothing behind
    for number in range(1, nodes + 1):
        write_node_key(secrets, f"worker-{number}")
    written, templates = [], files("holdfast.federation.trial").joinpath("template")
    for source in (*templates.iterdir(), *templates.joinpath(framework).iterdir()):
        if not source.is_file():
            continue
        name = source.name.removesuffix(ENDING)
        path = folder / ("robust_app" if name.endswith(".py") else ".") / name
        text = source.read_text().replace("DEPENDENCIES", FRAMEWORKS[framework])
        write_atomic(path, text.encode())
        written.append(path)
    write_atomic(folder / ".gitignore", f"{SECRETS}/\n__pycache__/\n.flwr/\n".encode())
    return sorted(written)
