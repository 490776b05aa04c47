"""Apple's push service on loopback, with Python's h2 and TLS. Verifies each token with PyJWT.

    apns_server.py CERTIFICATE KEY PUBLIC_KEY

Prints the port, then each message as a line of JSON. Answers 410 to devices that begin with "dead", 503 with Retry-After to
those that begin with "b0", and 200 to others. Ends with its standard input.
"""

import json
import socket
import ssl
import sys
import threading

import h2.config
import h2.connection
import h2.events
import jwt

certificate, key, public_key = sys.argv[1:]
with open(public_key) as file:
    PUBLIC_KEY = file.read()
OUTPUT = threading.Lock()


def report(value):
    with OUTPUT:
        print(json.dumps(value), flush=True)


def answer(headers, body):
    """Returns status, headers and body of an answer, as Apple's service gives it."""
    device = headers[":path"].rsplit("/", 1)[-1]
    scheme, token = headers["authorization"].split(" ", 1)
    # Its time is the test's, not the machine's.
    claims = jwt.decode(token, PUBLIC_KEY, algorithms=["ES256"], options={"verify_iat": False})
    report(
        {
            "device": device,
            "scheme": scheme,
            "team": claims["iss"],
            "issued": claims["iat"],
            "key": jwt.get_unverified_header(token)["kid"],
            "headers": {name: value for name, value in headers.items() if name.startswith("apns-")},
            "payload": json.loads(body),
        }
    )
    if device.startswith("dead"):
        return "410", [], {"reason": "Unregistered", "timestamp": 1458114061260}
    if device.startswith("b0"):
        return "503", [("retry-after", "33")], {"reason": "ServiceUnavailable"}
    return "200", [("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")], None


def serve(connection):
    http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    http.initiate_connection()
    connection.sendall(http.data_to_send())
    streams = {}
    while data := connection.recv(65536):
        for event in http.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                streams[event.stream_id] = (dict(event.headers), bytearray())
            elif isinstance(event, h2.events.DataReceived):
                streams[event.stream_id][1].extend(event.data)
                http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                headers, body = streams.pop(event.stream_id)
                status, more, content = answer(headers, bytes(body))
                http.send_headers(event.stream_id, [(":status", status), *more], end_stream=content is None)
                if content is not None:
                    http.send_data(event.stream_id, json.dumps(content).encode(), end_stream=True)
        connection.sendall(http.data_to_send())


def accept(listener, context):
    while True:
        plain, _ = listener.accept()
        try:
            connection = context.wrap_socket(plain, server_side=True)
        except OSError:
            continue
        if connection.selected_alpn_protocol() != "h2":
            report({"refused": connection.selected_alpn_protocol()})
            connection.close()
            continue
        threading.Thread(target=serve, args=[connection], daemon=True).start()


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["h2"])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=accept, args=[listener, context], daemon=True).start()
sys.stdin.read()
