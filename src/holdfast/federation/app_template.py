"""The app that `holdfast federation init` writes: files that Flower's hub accepts, certificates and node keys."""

import re
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput, unknown
from holdfast.files import write_atomic

LOOPBACK = "127.0.0.1"
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
    written, templates = [], files("holdfast.federation").joinpath("template")
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


DAYS = 365
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def write_certificates(folder: Path, host: str = LOOPBACK) -> None:
    """Write `ca.crt`, and `server.pem` and `server.key` for a name or address and for this machine's loopback.

    The authority's own key is not kept.
    """
    x509, hashes, serialization, ec = _library()
    authority, server = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP384R1())
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "holdfast trial")])
    names = x509.SubjectAlternativeName([_name(x509, name) for name in dict.fromkeys(("localhost", LOOPBACK, host))])
    root = _certificate(x509, issuer, issuer, authority.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    leaf = _certificate(x509, subject, issuer, server.public_key()).add_extension(names, critical=False)
    pem = serialization.Encoding.PEM
    write_atomic(folder / "ca.crt", root.sign(authority, hashes.SHA256()).public_bytes(pem))
    write_atomic(folder / "server.pem", leaf.sign(authority, hashes.SHA256()).public_bytes(pem))
    private = server.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write_secret(folder / "server.key", private)


def write_node_key(folder: Path, name: str) -> None:
    """Write the private key of a node as `name`, its public key, which is registered, as `name.pub`."""
    _, _, serialization, ec = _library()
    key = ec.generate_private_key(ec.SECP384R1())
    openssh = serialization.PrivateFormat.OpenSSH
    private = key.private_bytes(serialization.Encoding.PEM, openssh, serialization.NoEncryption())
    _write_secret(folder / name, private)
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    write_atomic(folder / f"{name}.pub", public + b"\n")


def _write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, at no moment otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)


def _name(x509: Any, host: str) -> Any:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        if not HOST.fullmatch(host):
            raise InvalidInput(f"--host must be a name or an address; got {host!r}") from None
        return x509.DNSName(host)


def _certificate(x509: Any, subject: Any, issuer: Any, key: Any) -> Any:
    begun = datetime.now(UTC) - timedelta(hours=1)  # clocks differ
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begun)
        .not_valid_after(begun + timedelta(days=DAYS))
    )


def _library() -> tuple[Any, Any, Any, Any]:
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise InvalidInput("a federation needs Flower: pip install 'holdfast[flower]'; got no cryptography") from None
    return x509, hashes, serialization, ec
