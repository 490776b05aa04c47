"""Sends push messages with aioapns to a service on loopback. Prints each result.

    apns_client.py ADDRESS AUTHORITY KEY_FILE KEY_ID TEAM_ID TOPIC DEVICE...
"""

import asyncio
import ssl
import sys
from urllib.parse import urlsplit

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol

address, authority, key, key_id, team_id, topic, *devices = sys.argv[1:]
APNsDevelopmentClientProtocol.APNS_SERVER = urlsplit(address).hostname
APNsDevelopmentClientProtocol.APNS_PORT = urlsplit(address).port


async def main():
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2"])
    with open(key) as file:
        client = APNs(
            key=file.read(), key_id=key_id, team_id=team_id, topic=topic, use_sandbox=True, ssl_context=context
        )
    for number, device in enumerate(devices):
        result = await client.send_notification(
            NotificationRequest(
                device_token=device,
                message={"aps": {"alert": "hello", "category": "RECONNECT"}},
                time_to_live=60,
                priority=10,
                collapse_key=f"peer-{number}",
                push_type=PushType.ALERT,
            )
        )
        print("result", device[:4], result.status, result.description, result.is_successful)


asyncio.run(main())
