"""Signatures of receipts and heads by Ed25519 over canonical JSON (docs/adr/0009-signatures.md)."""

import base64
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from .errors import NotFound, ReleaseFault, ShareError
from .files import DIGEST_PART, Web

Key = dict[str, Any]

#: Paths of the key set with the head: beside published files, and at a service.
KEY_SETS = ("keys/share-release-keys.json", ".well-known/share-release-keys.json")
MAX_KEY_SET = 16 << 20


class Number(str):
    """A number as it is written, so that the signed text is the same."""


def exactly(text: bytes) -> Any:
    """Parses JSON, and keeps the spelling of numbers."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def canonical(value: Any) -> str:
    """Returns canonical JSON (RFC 8785) of a value from `exactly`."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(member)}" for name, member in members) + "}"
    return json.dumps(value, ensure_ascii=False)


def read_keys(path: str | Path) -> list[Key]:
    """Returns the public keys in a file: a key set, or one key."""
    try:
        value = json.loads(Path(path).read_bytes())
        keys = [dict(key) for key in value.get("keys", [value])]
    except (ValueError, TypeError, AttributeError) as error:
        raise ShareError(
            f"{path} is neither a key set nor a public key; give share-release-keys.json of the publisher"
        ) from error
    if not keys or not all("x" in key and "kid" in key for key in keys):
        raise ShareError(f"{path} has a key without kid or x, or no key; give share-release-keys.json of the publisher")
    return keys


def signature_fault(statement: Any, keys: Sequence[Key], kind: str) -> str | None:
    """Returns why no key signed a statement from `exactly`; None if one did that is not revoked. Needs cryptography."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    rest = {name: value for name, value in statement.items() if name != "signature"}
    payload = encoded(canonical(rest).encode())
    fault = None
    for protected, signature in parts_of(statement.get("signature")):
        try:
            header = json.loads(decoded(protected))
            key = next((key for key in keys if key["kid"] == header["kid"]), None)
            if key is None:
                # During a rotation, the fault of a known key says more.
                fault = fault or f"is signed by the key {header['kid']}, which is not one of those given"
            elif key.get("revoked"):
                fault = f"is signed by the key {key['kid']}, which is revoked since {key['revoked']}"
            elif header.get("alg") not in ("EdDSA", "Ed25519") or header.get("typ") != kind or "crit" in header:
                fault = "is signed as another kind of statement, or with another algorithm"
            else:
                public = Ed25519PublicKey.from_public_bytes(decoded(key["x"]))
                public.verify(decoded(signature), f"{protected}.{payload}".encode())
                return None
        except InvalidSignature:
            signed = kind.removeprefix("share-release-")
            fault = f"has a signature by the key {header['kid']} that does not match this {signed}"
        except (ValueError, KeyError, TypeError, AttributeError):
            fault = fault or "has a signature that cannot be read"
    return fault or "is not signed, or in a way that cannot be read"


def parts_of(signature: Any) -> list[tuple[str, str]]:
    """Returns the header and the signature of each key."""
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        if isinstance(signature, str):
            protected, empty, mark = signature.split(".")
            return [] if empty else [(protected, mark)]
        return [(str(part["protected"]), str(part["signature"])) for part in signature["signatures"]]
    return []


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encoded(content) != text:
        raise ValueError("not canonical base64url")
    return content


def place_of(url: str) -> tuple[str, str | None]:
    """Returns the address of a publisher with a final slash, and the release that a URL names."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    found = DIGEST_PART.search(path)
    for end in ("/releases/latest", "/current"):
        path = path.removesuffix(end)
    base = urlunsplit((parts.scheme, parts.netloc, path[: found.start()] if found else path, "", "")) + "/"
    return base, f"sha256:{found[1]}" if found else None


def publisher_at(
    url: str, keys: Sequence[Key], *, last_sequence: int, allow_older: bool
) -> tuple[str, list[Key], dict[str, Any] | None]:
    """Returns the URL of the release, the keys with their revocations, and the head that one of them signed.

    Without a release in the URL, the head names the latest one, and must not be expired. Its number must not be lower
    than `last_sequence`.
    """
    base, named = place_of(url)
    found = key_set(base)
    try:
        head = found.get("head")
        known = [*found.get("keys", []), *((head or {}).get("keys", []))]
        known += [
            {"kid": each["kid"], "revoked": each["since"]} for each in found.get("statements", []) if "since" in each
        ]
        revoked = {key["kid"]: key["revoked"] for key in known if key.get("revoked")}
        trusted = [{**key, "revoked": key.get("revoked") or revoked.get(key["kid"])} for key in keys]
        fault = "is missing" if head is None else signature_fault(head, trusted, "share-release-head")
        signed = head if fault is None else None
        if signed is not None and int(signed["sequence"]) < last_sequence:
            fault = f"is older (number {signed['sequence']}) than one that was seen before ({last_sequence})"
        elif signed is not None and named is None and instant(signed["expiresAt"]) < time.time():
            fault = f"expired at {signed['expiresAt']}"
        is_needed = named is None or last_sequence > 0 or head is not None
        if is_needed and fault is not None and not allow_older:
            raise ReleaseFault(f"the head of {base} {fault}, so this copy may be old; allow_older accepts it")
        digest = named or (signed and signed["releaseDigest"])
        where = f"{base}releases/{digest.replace(':', '-')}" if digest else url
        return where, trusted, signed and {**signed, "sequence": int(signed["sequence"])}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ReleaseFault(f"the key set of {base} cannot be read") from error


def key_set(base: str) -> Any:
    """Returns the published key set; an empty one if there is none."""
    web = Web(base)
    try:
        for path in KEY_SETS:
            with suppress(NotFound, ValueError):
                value = exactly(web.read_url(f"{base}{path}", MAX_KEY_SET))
                if isinstance(value, dict):
                    return value
    finally:
        web.close()
    return {}


def instant(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
