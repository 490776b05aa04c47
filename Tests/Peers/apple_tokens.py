"""Makes keys and identity tokens as Apple does, with PyJWT and joserfc. Prints the key set and the tokens as JSON."""

import json
import sys

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from joserfc import jws, jwk

claims = json.loads(sys.argv[1])
rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ec_key = ec.generate_private_key(ec.SECP256R1())
keys = []
for key, kid, algorithm, make in (
    (rsa_key, "py-rsa", "RS256", jwt.algorithms.RSAAlgorithm), (ec_key, "py-ec", "ES256", jwt.algorithms.ECAlgorithm)
):
    keys.append({**json.loads(make.to_jwk(key.public_key())), "kid": kid, "use": "sig", "alg": algorithm})
    keys[-1].pop("key_ops", None)

joserfc_key = jwk.RSAKey.generate_key(2048, {"kid": "joserfc-rsa", "use": "sig", "alg": "RS256"})
keys.append(joserfc_key.as_dict(private=False))


def made(key, kid, algorithm, **changes):
    return jwt.encode({**claims, **changes}, key, algorithm=algorithm, headers={"kid": kid})


right = {
    "PyJWT RS256": made(rsa_key, "py-rsa", "RS256"),
    "PyJWT ES256": made(ec_key, "py-ec", "ES256"),
    "PyJWT list of audiences": made(rsa_key, "py-rsa", "RS256", aud=["x", claims["aud"]]),
    "joserfc RS256": jws.serialize_compact(
        {"alg": "RS256", "kid": "joserfc-rsa"}, json.dumps(claims).encode(), joserfc_key
    ),
}
public = keys[0]["n"].encode()
wrong = {
    "issuer": made(rsa_key, "py-rsa", "RS256", iss="https://evil.example"),
    "audience": made(rsa_key, "py-rsa", "RS256", aud="another"),
    "expired": made(rsa_key, "py-rsa", "RS256", exp=claims["iat"]),
    "no subject": made(rsa_key, "py-rsa", "RS256", sub=""),
    "alg none": jwt.encode(claims, None, algorithm="none", headers={"kid": "py-rsa"}),
    "HMAC with the public key": jwt.encode(claims, public, algorithm="HS256", headers={"kid": "py-rsa"}),
    "RS384": made(rsa_key, "py-rsa", "RS384"),
    "the other key": made(rsa_key, "joserfc-rsa", "RS256"),
}
print(json.dumps({"keys": keys, "right": right, "wrong": wrong}))
