"""Writes openings.json and tokens.json: leaves, commitments and salts by hashlib, tokens by PyJWT.

    pip install pyjwt cryptography
    python3 test/vectors/make-verify.py && npx biome format --write test/vectors
"""
import base64
import hashlib
import hmac
import json
import struct
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

HERE = Path(__file__).parent
REG = "REG-2026-0001-0042-U"
ISSUER = "https://registry.example"
IAT = 1795280400
SEED = hashlib.sha256(b"a seed of a batch").digest()


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def salt_of(part, index):
    return hashlib.sha256(SEED + part + struct.pack(">Q", index)).digest()[:16]


def commit(salt, text):
    return encode(hashlib.sha256(salt + text.encode()).digest())


def event(index, seq, metadata, created_at):
    """metadata as Postgres prints jsonb: a blank behind colon and comma."""
    salt, metadata_salt = salt_of(b"f", index), salt_of(b"m", index)
    facts = compact({
        "id": "01a1fc89-cf65-7e90-91f2-582afd12673%d" % seq,
        "event_type": "task_completed",
        "severity": "info",
        "reported_by": "platform",
        "source": "peer",
        "platform": "acme-market",
        "created_at": created_at,
        "metadata": commit(metadata_salt, metadata),
    })
    return {
        "index": index,
        "leaf": compact({"v": 1, "kind": "event", "reg": REG, "seq": seq, "c": commit(salt, facts)}),
        "opening": {"salt": encode(salt), "facts": facts, "metadata_salt": encode(metadata_salt), "metadata": metadata},
    }


def other(index, leaf, facts, texts):
    salt, texts_salt = salt_of(b"f", index), salt_of(b"m", index)
    facts = json.dumps({**facts, "texts": commit(texts_salt, texts)})
    return {
        "index": index,
        "leaf": compact({"v": 1, **leaf, "c": commit(salt, facts)}),
        "opening": {"salt": encode(salt), "facts": facts, "texts_salt": encode(texts_salt), "texts": texts},
    }


def openings():
    profile = json.dumps({"name": "Übersetzer \U0001f9ed", "description": ""}, ensure_ascii=False)
    incident = compact({"title": "Wrong invoice", "description": "", "resolution": None})
    jwk = public(TOKEN_KEY)
    log_key = {"crv": "Ed25519", "kty": "OKP", "x": encode(LOG_KEY.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw))}
    note = "registry.example/log\n7\n" + "A" * 43 + "=\n\n\u2014 registry.example/log AAAAAAAA\n"
    scores = {"overall": "94.8", "reliability": "96.2", "accuracy": "95.0", "safety": "100.0", "speed": "84.0",
              "consistency": "93.1", "events": 40, "alg": "1.0", "inputs": hashlib.sha256(b"rows").hexdigest()}
    rows = [["2026-11-11", "self", 20, 18, 2, 0, 0], ["2026-11-11", "peer", 20, 20, 0, 4, 3800]]
    day = {"v": 1, "kind": "day", "reg": REG, "day": "2026-11-11", "rev": 1, "seq": 40,
           "totals": {"events": 40, "tasks_completed": 38, "tasks_failed": 2, "incident_count": 1},
           "open_outages": 0}
    redaction = {"v": 1, "kind": "redaction", "reg": REG}
    operators = ["01a1fc89-cf65-7e90-91f2-%012d" % n for n in range(4)]
    leaf = {"v": 1, "kind": "log", "origin": "registry.example/log", "spec": ISSUER + "/transparency"}
    return {
        "seed": encode(SEED),
        "sealed": [
            event(0, 1, '{"task": "r\u00e9sum\u00e9 \u2603", "quality": 0.95}', "2026-11-11T09:00:00.000Z"),
            event(255, 2, "{}", "2026-11-11T23:59:59.999Z"),
            event(2**40 + 3, 3, '{"deep": [1, {"a": null}], "text": "\\u0000 quoted \\" and \\\\"}', "2026-11-12T00:00:00.000Z"),
            other(7, {"kind": "agent", "reg": REG, "rev": 2}, {"reg": REG, "status": "active"}, profile),
            other(8, {"kind": "incident", "reg": REG, "id": "01a1fc89-cf65-7e90-91f2-582afd126737", "rev": 1}, {"severity": "error", "status": "open"}, incident),
        ],
        "clear": [
            compact(leaf),
            compact({**leaf, "previous": note}),
            compact({**day, "rows": rows, "score": scores}),
            compact({**day, "rows": [], "score": None}),
            compact({"v": 1, "kind": "key", "use": "token", "kid": thumbprint(jwk), "key": jwk, "state": "added"}),
            compact({"v": 1, "kind": "key", "use": "log", "kid": thumbprint(log_key), "key": log_key, "state": "removed"}),
            compact({"v": 1, "kind": "restore", "from": 100, "to": 120, "at": "2026-11-12T10:00:00.000Z"}),
            compact({**redaction, "seq": 2, "incident": None, "reason": "personal", "at": "2026-11-12T10:00:00.000Z"}),
            compact({**redaction, "seq": 3, "incident": "01a1fc89-cf65-7e90-91f2-582afd126737", "reason": "law", "at": "2026-11-12T10:00:00.001Z"}),
            compact({"v": 1, "kind": "withholding", "reg": REG, "rev": 1, "state": "withheld", "at": "2026-11-12T10:00:00.000Z"}),
            *[compact({"v": 1, "kind": "operator", "operator": operators[0], "rev": rev, "state": state, "at": "2026-11-12T10:00:00.000Z"})
              for rev, state in enumerate(["verified", "expired", "suspended", "reinstated"], 1)],
            *[compact({"v": 1, "kind": "platform", "platform": "acme-market", "rev": rev, "operator": operators[0], "state": state,
                       "at": "2026-11-12T10:00:00.000Z", "by": operators[1:] if state == "established" else []})
              for rev, state in enumerate(["registered", "established", "distrusted", "trusted", "retired"], 1)],
            compact({"v": 1, "kind": "platform_withholding", "platform": "acme-market", "rev": 2, "state": "shown", "at": "2026-11-12T10:00:00.001Z"}),
        ],
    }


def private(name):
    return ec.derive_private_key(int.from_bytes(hashlib.sha256(name).digest(), "big") >> 1, ec.SECP256R1())


TOKEN_KEY, NEXT_KEY, FOREIGN_KEY = private(b"token"), private(b"next"), private(b"foreign")
LOG_KEY = ed25519.Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"log").digest())


def public(key):
    numbers = key.public_key().public_numbers()
    return {"crv": "P-256", "kty": "EC", "x": encode(numbers.x.to_bytes(32, "big")), "y": encode(numbers.y.to_bytes(32, "big"))}


def thumbprint(jwk):
    return encode(hashlib.sha256(json.dumps(jwk, separators=(",", ":"), sort_keys=True).encode()).digest())


def claims(**changes):
    return {
        "iss": ISSUER, "sub": REG, "iat": IAT, "exp": IAT + 900,
        "verification": {"reg": REG, "registered": True, "active": True, "name": "Übersetzer", "trust_score_overall": "94.8",
                         "checked_at": "2026-11-21T17:00:00.000Z"},
        "log": {"origin": "registry.example/log", "size": 200000, "root": base64.b64encode(hashlib.sha256(b"root").digest()).decode()},
        **changes,
    }


def tokens():
    kid, next_kid, foreign_kid = (thumbprint(public(key)) for key in (TOKEN_KEY, NEXT_KEY, FOREIGN_KEY))
    keys = [{**public(key), "kid": thumbprint(public(key)), "use": "sig", "alg": "ES256"} for key in (TOKEN_KEY, NEXT_KEY)]
    typ = "agent-verification+jwt"

    def sign(payload, key=TOKEN_KEY, algorithm="ES256", **header):
        return jwt.encode(payload, key, algorithm=algorithm, headers={"typ": typ, "kid": kid, **header})

    def assembled(header, payload, signature):
        return ".".join(encode(part if isinstance(part, bytes) else compact(part).encode()) for part in (header, payload, signature))

    def signed_raw(header, payload):
        """Signed by the key, whatever the parts are."""
        text = assembled(header, payload, b"").rstrip(".")
        return text + "." + encode(jwt.algorithms.ECAlgorithm(jwt.algorithms.ECAlgorithm.SHA256).sign(text.encode(), TOKEN_KEY))

    good = sign(claims())
    head, body, signature = good.split(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    header = {"alg": "ES256", "typ": typ, "kid": kid}
    without = lambda *names: {name: value for name, value in claims().items() if name not in names}
    hs = {"alg": "HS256", "typ": typ, "kid": kid}
    text = assembled(hs, claims(), b"").rstrip(".")
    secret = compact(public(TOKEN_KEY)).encode()
    by_hmac = text + "." + encode(hmac.new(secret, text.encode(), "sha256").digest())
    der = TOKEN_KEY.sign((head + "." + body).encode(), ec.ECDSA(hashes.SHA256()))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    loose = signature[:-1] + alphabet[alphabet.index(signature[-1]) ^ 1]
    cases = [
        ("genuine", good, 0, None),
        ("genuine, of the key that comes next", sign(claims(), key=NEXT_KEY, kid=next_kid), 0, None),
        ("genuine, without a log", sign(without("log")), 0, None),
        ("genuine, its last second", good, 900 + 59, None),
        ("expired", good, 900 + 60, "expired"),
        ("genuine, from a clock 60 seconds ahead", good, -60, None),
        ("issued 61 seconds from now", good, -61, "not_yet_valid"),
        ("a life of an hour", sign(claims(exp=IAT + 3600)), 0, None),
        ("a life of more than an hour", sign(claims(exp=IAT + 3601)), 0, "malformed"),
        ("exp a text", signed_raw(header, claims(exp=str(IAT + 900))), 0, "malformed"),
        ("exp a fraction", sign(claims(exp=IAT + 900.5)), 0, "malformed"),
        ("exp before iat", sign(claims(exp=IAT - 1)), 0, "malformed"),
        ("iat below zero", sign(claims(iat=-1, exp=900)), 0, "malformed"),
        ("no exp", sign(without("exp")), 0, "malformed"),
        ("no iat", sign(without("iat")), 0, "malformed"),
        ("no sub", sign(without("sub")), 0, "malformed"),
        ("a sub that is no number of an agent", signed_raw(header, claims(sub="someone")), 0, "malformed"),
        ("the verification of another agent", sign(claims(sub="REG-2026-0001-0043-S")), 0, "malformed"),
        ("no verification", sign(without("verification")), 0, "malformed"),
        ("a log that is a text", sign(claims(log="registry.example/log")), 0, "malformed"),
        ("claims that are not JSON", signed_raw(header, b"{"), 0, "malformed"),
        ("claims that are not UTF-8", signed_raw(header, b'{"iss":"\xff"}'), 0, "malformed"),
        ("another issuer", sign(claims(iss="https://evil.example")), 0, "wrong_issuer"),
        ("the issuer with a slash", sign(claims(iss=ISSUER + "/")), 0, "wrong_issuer"),
        ("alg none", assembled({**header, "alg": "none"}, claims(), b"").rstrip(".") + ".", 0, "malformed"),
        ("alg none with a signature", assembled({**header, "alg": "none"}, claims(), raw), 0, "wrong_type"),
        ("HS256 with the public key as JWK", by_hmac, 0, "wrong_type"),
        ("typ JWT", sign(claims(), typ="JWT"), 0, "wrong_type"),
        ("typ with application/", sign(claims(), typ="application/" + typ), 0, "wrong_type"),
        ("crit", signed_raw({**header, "crit": ["exp"], "exp": 0}, claims()), 0, "malformed"),
        ("no kid", signed_raw({"alg": "ES256", "typ": typ}, claims()), 0, "malformed"),
        ("an unknown key", sign(claims(), key=FOREIGN_KEY, kid=foreign_kid), 0, "unknown_key"),
        ("the kid of another key", sign(claims(), kid=next_kid), 0, "bad_signature"),
        ("claims of another token", head + "." + sign(claims(sub="REG-2026-0001-0043-S")).split(".")[1] + "." + signature, 0, "bad_signature"),
        ("extra signature bytes", head + "." + body + "." + encode(raw + b"\0"), 0, "bad_signature"),
        ("a signature in DER", head + "." + body + "." + encode(der), 0, "bad_signature"),
        ("stray bits behind the signature", head + "." + body + "." + loose, 0, "malformed"),
        ("padding", good + "==", 0, "malformed"),
        ("standard base64", head + "." + body + "." + signature[:-2] + "+/", 0, "malformed"),
        ("a newline at the end", good + "\n", 0, "malformed"),
        ("two parts", head + "." + body, 0, "malformed"),
        ("more than 8 KB", sign(claims(padding="x" * 8192)), 0, "malformed"),
        ("a header that is a list", signed_raw([header], claims()), 0, "malformed"),
    ]
    return {
        "issuer": ISSUER, "iat": IAT, "jwks": {"keys": keys},
        "private": [{**public(key), "d": encode(key.private_numbers().private_value.to_bytes(32, "big"))} for key in (TOKEN_KEY, NEXT_KEY)],
        "claims": claims(),
        "cases": [{"name": name, "token": token, "after_seconds": after, "reason": reason} for name, token, after, reason in cases],
    }


def write(name, about, content):
    by = f"test/vectors/make-verify.py with Python's hashlib and PyJWT {jwt.__version__}"
    (HERE / name).write_text(compact({"about": about, "computed_by": by, **content}) + "\n")


write("openings.json", "Leaves as bytes in ASCII; of those that are sealed, what opens them. All keys are made for these tests.", openings())
write("tokens.json", "What verifyToken must say of a token, some seconds after iat. All keys are made for these tests.", tokens())
