"""Connects programs by others to `countersign agent mcp --http`, from registration to a document.

Usage: mcp_remote.py official|authlib URL MODE, where MODE is `legacy` (the handshake) or a version. Prints `number NUMBER`
for the person who allows it, and `request ID` for the person who approves.
"""

import asyncio
import base64
import re
import secrets
import sys
import time
from urllib.parse import parse_qs, urlsplit

import httpx

RETURNS_TO = "http://127.0.0.1:1/back"


def browse(address):
    """Opens an address as a person's browser, and returns the parameters with which it goes back to the program."""
    with httpx.Client(trust_env=False) as browser:
        answer = browser.get(address)
        assert answer.status_code == 303, (answer.status_code, answer.text)
        page = str(answer.next_request.url)
        told = False
        for _ in range(600):
            answer = browser.get(page)
            if answer.status_code == 303:
                back = answer.headers["location"]
                assert back.startswith(RETURNS_TO + "?"), back
                return {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
            assert answer.status_code == 200, (answer.status_code, answer.text)
            if not told:
                print("number", re.search(r'class="number">([0-9A-Z-]+)<', answer.text)[1], flush=True)
                told = True
            time.sleep(0.1)
    raise SystemExit("nobody decided")


async def use(client):
    """Asks for a statement, waits for it, and reads it."""
    print("version", client.protocol_version)
    asked = await client.call_tool("request_statement", {"month": 1, "year": 2026})
    assert not asked.is_error, asked
    request = asked.structured_content["request_id"]
    print("request", request, flush=True)
    ended = await client.call_tool("get_request", {"request_id": request, "wait_seconds": 60})
    print("ended", ended.structured_content["status"])
    assert "file_path" not in ended.structured_content, "a path on another machine"
    there = (await client.call_tool("list_documents", {})).structured_content["documents"]
    read = await client.read_resource("countersign://document/" + there[0]["document_id"])
    print("document", len(there), base64.b64decode(read.contents[0].blob)[:5].decode())


async def official(url, mode):
    import httpx2
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

    class Storage:
        tokens = None
        client = None

        async def get_tokens(self):
            return self.tokens

        async def set_tokens(self, tokens):
            self.tokens = tokens

        async def get_client_info(self):
            return self.client

        async def set_client_info(self, client):
            self.client = client

    storage = Storage()
    opened = []

    async def redirect(address):
        opened.append(address)

    async def callback():
        back = await asyncio.to_thread(browse, opened.pop())
        return AuthorizationCodeResult(code=back["code"], state=back.get("state"), iss=back.get("iss"))

    provider = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="The official client",
            redirect_uris=[RETURNS_TO],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        ),
        storage=storage,
        redirect_handler=redirect,
        callback_handler=callback,
    )
    async with httpx2.AsyncClient(auth=provider, timeout=90, trust_env=False) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            await use(client)
        # A token that has ended is renewed by itself, and the renewed one works.
        before = storage.tokens.refresh_token
        provider.context.token_expiry_time = time.time() - 1
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            print("tools", len((await client.list_tools()).tools))
        print("renewed", storage.tokens.refresh_token != before)


async def authlib(url, mode):
    import httpx2
    from authlib.integrations.requests_client import OAuth2Session
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    with httpx.Client(trust_env=False) as http:
        refused = http.post(url, json={})
        assert refused.status_code == 401, refused
        found = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])[1]
        resource = http.get(found).json()
        issuer = resource["authorization_servers"][0]
        server = http.get(issuer + "/.well-known/oauth-authorization-server").json()
        registered = http.post(
            server["registration_endpoint"], json={"client_name": "Authlib", "redirect_uris": [RETURNS_TO]}
        )
        assert registered.status_code == 201, registered.text
    session = OAuth2Session(
        client_id=registered.json()["client_id"],
        redirect_uri=RETURNS_TO,
        scope=resource["scopes_supported"][0],
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
    )
    session.trust_env = False
    verifier = secrets.token_urlsafe(48)
    address, state = session.create_authorization_url(
        server["authorization_endpoint"], code_verifier=verifier, resource=resource["resource"]
    )
    back = browse(address)
    assert back["state"] == state and back["iss"] == issuer, back
    fetch = {"code": back["code"], "code_verifier": verifier, "resource": resource["resource"]}
    token = session.fetch_token(server["token_endpoint"], **fetch)
    print("token", token["token_type"], token["expires_in"])
    renewed = session.refresh_token(
        server["token_endpoint"], refresh_token=token["refresh_token"], resource=resource["resource"]
    )
    print("renewed", renewed["refresh_token"] != token["refresh_token"])
    headers = {"Authorization": "Bearer " + renewed["access_token"]}
    async with httpx2.AsyncClient(headers=headers, timeout=90, trust_env=False) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            await use(client)
    try:
        session.fetch_token(server["token_endpoint"], **fetch)
        print("twice taken")
    except Exception as error:
        print("twice", getattr(error, "error", error))
    with httpx.Client(trust_env=False) as http:
        print("afterwards", http.post(url, json={}, headers=headers).status_code)


program, url, mode = sys.argv[1:]
asyncio.run({"official": official, "authlib": authlib}[program](url, mode))
