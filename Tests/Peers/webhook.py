"""Verifies the message on standard input with standardwebhooks, as it is and changed. Prints the outcomes."""
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

key, identifier, timestamp, signature = sys.argv[1:]
headers = {"webhook-id": identifier, "webhook-timestamp": timestamp, "webhook-signature": signature}
body = sys.stdin.buffer.read()
message = Webhook(key).verify(body, headers)
print("verified", message["type"], message["data"]["request_id"])
try:
    Webhook(key).verify(body.replace(b'"r"', b'"s"'), headers)
except WebhookVerificationError as error:
    print("changed:", error)
