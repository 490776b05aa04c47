"""AWS KMS on loopback, by moto, which verifies signatures with botocore. boto3 opens what our client has made.

    aws_kms.py

Prints a line of JSON: the URLs of the service by IPv4 and IPv6, a key's id, the credentials of a user who may use it,
and the address of KMS in each region that botocore knows. Then answers each line of JSON with a line of JSON:
{"wrapped": BASE64, "context": {...}} with {"plain": BASE64} or {"error": CODE}, and {"url": URL} with {"host": HOST}, the
host that botocore signs. Ends with its standard input.
"""

import base64
import json
import logging
import sys

import boto3
import botocore.session
import requests
from botocore.auth import _host_from_url
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"
server6 = ThreadedMotoServer(ip_address="::1", port=0, verbose=False)
server6.start()


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
session = botocore.session.get_session()
addresses = {}
for partition in session.get_available_partitions():
    for region in session.get_available_regions("kms", partition_name=partition):
        there = session.create_client("kms", region, aws_access_key_id="x", aws_secret_access_key="x")
        addresses[region] = there.meta.endpoint_url
print(
    json.dumps(
        {
            "urls": [url, f"http://[::1]:{server6.get_host_and_port()[1]}"],
            "addresses": addresses,
            "key_id": key_id,
            "access_key_id": made["AccessKeyId"],
            "secret_access_key": made["SecretAccessKey"],
        }
    ),
    flush=True,
)
for line in sys.stdin:
    asked = json.loads(line)
    if "url" in asked:
        print(json.dumps({"host": _host_from_url(asked["url"])}), flush=True)
        continue
    try:
        answer = kms.decrypt(
            CiphertextBlob=base64.b64decode(asked["wrapped"]), EncryptionContext=asked["context"]
        )
        print(json.dumps({"plain": base64.b64encode(answer["Plaintext"]).decode()}), flush=True)
    except ClientError as error:
        print(json.dumps({"error": error.response["Error"]["Code"]}), flush=True)
server.stop()
server6.stop()
