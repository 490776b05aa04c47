"""Asks a household for a statement, as an assistant with the official Model Context Protocol client.

Usage: mcp_request.py EXECUTABLE MONTH YEAR. The household's file says where the broker is. Prints `request ID` once the request
waits for its owner, and `read SHA-256` of the document that came.
"""

import asyncio
import base64
import hashlib
import os
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main(executable, month, year):
    server = StdioServerParameters(command=executable, args=["agent", "mcp"], env={"HOME": os.environ["HOME"]})
    async with Client(stdio_client(server)) as client:
        asked = await client.call_tool("request_statement", {"month": int(month), "year": int(year)})
        assert not asked.is_error, asked
        request = asked.structured_content["request_id"]
        print("request", request, flush=True)
        status = asked.structured_content["status"]
        while status not in ("COMPLETED", "FAILED", "DENIED", "EXPIRED"):
            ended = await client.call_tool("get_request", {"request_id": request, "wait_seconds": 60})
            assert not ended.is_error, ended
            status = ended.structured_content["status"]
        print("ended", status, flush=True)
        assert status == "COMPLETED", ended
        read = await client.read_resource(ended.content[-1].uri)
        print("read", hashlib.sha256(base64.b64decode(read.contents[0].blob)).hexdigest(), flush=True)


asyncio.run(main(*sys.argv[1:]))
