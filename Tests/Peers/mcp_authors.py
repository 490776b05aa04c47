"""Runs the official Model Context Protocol client against `countersign script mcp`: every tool, in one protocol version.

Usage: mcp_authors.py EXECUTABLE FOLDER MODE, where MODE is `legacy` (the handshake) or a version.
"""

import asyncio
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SCRIPT = "meridian-savings.yaml"
PERIOD = {"month": 1, "year": 2026}


async def main(executable, folder, mode):
    server = StdioServerParameters(command=executable, args=["script", "mcp", folder])
    async with Client(stdio_client(server), mode=mode) as client:
        tools = await client.list_tools()
        print("version", client.protocol_version)
        print("tools", *[tool.name for tool in tools.tools])

        async def call(name, **arguments):
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer
            return answer.structured_content

        print("lint", (await call("lint", script=SCRIPT))["is_valid"])
        sends = (await call("explain", script=SCRIPT))["sends_untrusted"]
        print("explain", any("password" in one["item"] for one in sends))
        for recording in ("worked", "failed"):
            replayed = await call("replay", script=SCRIPT, recording=f"{recording}.har", parameters=PERIOD)
            print(recording, replayed["matches"])
        proposed = await call("propose", script=SCRIPT, old="worked.har", new="failed.har", parameters=PERIOD)
        print("proposed", proposed["outcome"], "Post & documents" in proposed["script_untrusted"])
        matrix = await call("matrix", script=SCRIPT)
        print("matrix", matrix["rows"], matrix["not_as_expected"])
        outside = await client.call_tool("lint", {"script": "../" + SCRIPT})
        print("outside", outside.is_error)
        try:
            unknown = (await client.call_tool("accept", {"script": SCRIPT})).is_error
        except Exception as error:
            unknown = "unknown tool" in str(error)
        print("unknown", unknown)


asyncio.run(main(*sys.argv[1:]))
