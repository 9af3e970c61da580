"""The app that `holdfast federation init` writes: files that Flower's hub accepts, a certificate and node keys."""

import re
from datetime import UTC, datetime, timedelta
from importlib.metadata import distribution
from importlib.resources import files
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput, unknown
from holdfast.files import write_atomic

LOOPBACK = "127.0.0.1"
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
DAYS = 365
"""How long the certificate is valid."""
SECRETS = ".trial"
"""The folder of keys, certificate and all that a trial writes. Flower does not pack it into the app."""
FRAMEWORKS = {"numpy": "holdfast[flower]", "torch": 'holdfast[flower]", "torch'}
"""What the model is written in, and what such an app depends on."""


def write_app(folder: Path, nodes: int, framework: str = "numpy", host: str = LOOPBACK) -> list[Path]:
    """Write an app, a certificate for its server and the keys of its nodes. Return the files to edit and read."""
    if framework not in FRAMEWORKS:
        raise unknown("framework", framework, FRAMEWORKS)
    if nodes < 1:
        raise InvalidInput(f"--nodes must be at least 1; got {nodes}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"a new federation needs a new or empty folder; got {folder}")
    if find_spec("cryptography") is None:
        raise InvalidInput("a federation needs Flower: pip install 'holdfast[flower]'; got no cryptography")
    secrets = folder / SECRETS
    write_certificate(secrets, host)  # first: a bad host leaves nothing behind
    for number in range(1, nodes + 1):
        write_node_key(secrets, f"worker-{number}")
    texts = {"LICENSE": distribution("holdfast").read_text("licenses/LICENSE") or ""}
    templates = files("holdfast.federation").joinpath("template")
    for source in (*templates.iterdir(), *templates.joinpath(framework).iterdir()):
        if source.is_file():
            name = source.name.removesuffix(".template")
            inside = f"robust_app/{name}" if name.endswith(".py") else name
            texts[inside] = source.read_text().replace("DEPENDENCIES", FRAMEWORKS[framework])
    for name, text in texts.items():
        write_atomic(folder / name, text.encode())
    write_atomic(folder / ".gitignore", f"{SECRETS}/\n__pycache__/\n.flwr/\n".encode())
    return sorted(folder / name for name in texts)


def write_certificate(folder: Path, host: str = LOOPBACK) -> None:
    """Write `server.key`, and the server's certificate as `server.pem` and as `ca.crt`, which nodes trust.

    The certificate is for a name or address and for this machine's loopback. It signs itself and can sign no other.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def alternative(name: str) -> Any:
        try:
            return x509.IPAddress(ip_address(name))
        except ValueError:
            if not HOST.fullmatch(name):
                raise InvalidInput(f"--host must be a name or an address; got {name!r}") from None
            return x509.DNSName(name)

    names = [alternative(name) for name in dict.fromkeys(("localhost", LOOPBACK, host))]
    key, start = ec.generate_private_key(ec.SECP384R1()), datetime.now(UTC) - timedelta(hours=1)  # clocks differ
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "holdfast federation")])
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=DAYS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    for name in ("ca.crt", "server.pem"):
        write_atomic(folder / name, certificate)
    private = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write_secret(folder / "server.key", key.private_bytes(*private))


def write_node_key(folder: Path, name: str) -> None:
    """Write the private key of a node as `name`, and the public key, which the server registers, as `name.pub`."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = ec.generate_private_key(ec.SECP384R1())
    _write_secret(folder / name, key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    write_atomic(folder / f"{name}.pub", public + b"\n")


def _write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, at no moment otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)
