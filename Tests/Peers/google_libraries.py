"""Consents at a mock of Google, refreshes, reads and revokes, with Google's own libraries. Prints what they saw as JSON."""

import json
import os
import sys
import urllib.parse
import urllib.request

import google.auth.exceptions
import google.auth.transport.requests
import httplib2
import requests
from google.oauth2.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp
from google_auth_oauthlib.flow import Flow
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

# The mock serves plain HTTP on loopback.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"

URL = sys.argv[1]
REDIRECT = "http://127.0.0.1:9/callback"
SCOPES = [f"https://www.googleapis.com/auth/{name}" for name in ("calendar.readonly", "gmail.readonly")]
CLIENT = {
    "installed": {
        "client_id": "mock-client",
        "client_secret": "mock-client-secret",
        "auth_uri": f"{URL}/o/oauth2/v2/auth",
        "token_uri": f"{URL}/token",
        "redirect_uris": [REDIRECT],
    }
}


def consented():
    """Returns a flow and the address to which the browser comes back."""
    flow = Flow.from_client_config(CLIENT, scopes=SCOPES, redirect_uri=REDIRECT, autogenerate_code_verifier=True)
    address, _ = flow.authorization_url(prompt="consent", access_type="offline")
    assert "Allow" in requests.get(address, timeout=10).text
    query = urllib.parse.urlsplit(address).query
    answer = requests.post(
        address, data={"query": query, "decision": "allow", "scope": SCOPES}, allow_redirects=False, timeout=10
    )
    return flow, answer.headers["location"]


def service(name, version, credentials, base):
    """Builds a client from the discovery document that the library carries."""
    http = AuthorizedHttp(credentials, http=httplib2.Http())
    return build(name, version, http=http, static_discovery=True, client_options={"api_endpoint": URL + base})


seen = {}
flow, back = consented()
flow.code_verifier = "x" * 43
try:
    flow.fetch_token(authorization_response=back)
except Exception as error:
    seen["wrong_proof"] = getattr(error, "error", str(error))

flow, back = consented()
flow.fetch_token(authorization_response=back)
credentials = Credentials(
    None, refresh_token=flow.credentials.refresh_token, token_uri=f"{URL}/token", client_id="mock-client",
    client_secret="mock-client-secret", scopes=SCOPES,
)
credentials.refresh(google.auth.transport.requests.Request())
seen["refreshed"] = credentials.valid

calendar = service("calendar", "v3", credentials, "/calendar/v3/")
listed = calendar.events().list(calendarId="primary", singleEvents=True, orderBy="startTime").execute()
seen["events"] = [event["summary"] for event in listed["items"]]
full = calendar.events().list(calendarId="primary", singleEvents=True).execute()
seen["sync"] = ["full" if calendar.events().list(
    calendarId="primary", singleEvents=True, syncToken=full["nextSyncToken"]).execute()["items"] == [] else "not empty"]
try:
    calendar.events().list(calendarId="primary", singleEvents=True, syncToken="bogus").execute()
except HttpError as error:
    seen["sync"].append("gone" if error.resp.status == 410 else str(error.resp.status))

mail = service("gmail", "v1", credentials, "/")
history = mail.users().history().list(userId="me", startHistoryId="1000", historyTypes=["messageAdded"]).execute()
seen["history"] = [added["message"]["id"] for record in history["history"] for added in record["messagesAdded"]]
message = mail.users().messages().get(userId="me", id="m1", format="metadata", metadataHeaders=["Subject"]).execute()
seen["subject"] = message["payload"]["headers"][0]["value"]
seen["body"] = "body" in message["payload"]

assert requests.post(f"{URL}/revoke", data={"token": credentials.refresh_token}, timeout=10).status_code == 200
try:
    credentials.refresh(google.auth.transport.requests.Request())
except google.auth.exceptions.RefreshError as error:
    seen["after_revocation"] = error.args[1]["error"]
print(json.dumps(seen))
