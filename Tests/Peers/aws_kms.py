"""AWS KMS on loopback, by moto, which verifies signatures with botocore. boto3 opens what our client has made.

    aws_kms.py

Prints a line of JSON: the port, a key's id, and the credentials of a user who may use it. Then answers each line of JSON,
{"wrapped": BASE64, "context": {...}}, with {"plain": BASE64} or {"error": CODE}. Ends with its standard input.
"""

import base64
import json
import logging
import sys

import boto3
import requests
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"


def client(service, access_key="testing", secret="testing"):
    return boto3.client(
        service,
        region_name="eu-central-1",
        endpoint_url=url,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret,
    )


iam = client("iam")
iam.create_user(UserName="key-service")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "kms:*", "Resource": "*"}]}
iam.put_user_policy(UserName="key-service", PolicyName="keys", PolicyDocument=json.dumps(policy))
made = iam.create_access_key(UserName="key-service")["AccessKey"]
key_id = client("kms").create_key()["KeyMetadata"]["KeyId"]
# From here on each call needs a signature that counts.
requests.post(f"{url}/moto-api/reset-auth", data=b"0", timeout=30)
kms = client("kms", made["AccessKeyId"], made["SecretAccessKey"])
print(
    json.dumps(
        {
            "port": port,
            "key_id": key_id,
            "access_key_id": made["AccessKeyId"],
            "secret_access_key": made["SecretAccessKey"],
        }
    ),
    flush=True,
)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = kms.decrypt(
            CiphertextBlob=base64.b64decode(asked["wrapped"]), EncryptionContext=asked["context"]
        )
        print(json.dumps({"plain": base64.b64encode(answer["Plaintext"]).decode()}), flush=True)
    except ClientError as error:
        print(json.dumps({"error": error.response["Error"]["Code"]}), flush=True)
server.stop()
