"""The app that `holdfast federation init` writes passes what `flwr app publish` checks, and holds no secret."""

from pathlib import Path

import pytest

pytest.importorskip("flwr")

from flwr.cli.app_cmd.publish import _collect_file_paths, _validate_app_name, _validate_description, _validate_files
from flwr.cli.config_utils import load_and_validate

from holdfast.federation.app_template import FRAMEWORKS, write_app


@pytest.mark.filterwarnings("ignore:GitWildMatchPattern:DeprecationWarning")  # of the library that Flower matches by
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_hub_takes_the_app(framework: str, tmp_path: Path) -> None:
    app = tmp_path / "my-federation"
    write_app(app, nodes=2, framework=framework)
    config, warnings = load_and_validate(app / "pyproject.toml", check_module=True)
    assert warnings == []
    _validate_app_name(app.name, "directory")
    _validate_app_name(config["project"]["name"], "name")
    _validate_description(config["project"]["description"])
    assert config["project"]["dependencies"][0] == "holdfast[flower]"
    found = _collect_file_paths(app)
    _validate_files(found)
    assert {path.relative_to(app).as_posix() for path in found} == {
        ".gitignore",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        *(f"robust_app/{name}.py" for name in ("__init__", "client_app", "server_app", "task")),
    }
    assert b"PRIVATE KEY" not in b"".join(path.read_bytes() for path in found)
