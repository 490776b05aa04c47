"""Runs the official Model Context Protocol client against `countersign agent mcp`: every tool, in one protocol version.

Usage: mcp_client.py EXECUTABLE BROKER_URL TOKEN_FILE MODE, where MODE is `legacy` (the handshake) or a version.
"""

import asyncio
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main(executable, broker, token_file, mode):
    server = StdioServerParameters(
        command=executable, args=["agent", "mcp", "--broker", broker, "--token-file", token_file]
    )
    async with Client(stdio_client(server), mode=mode) as client:
        tools = await client.list_tools()
        print("version", client.protocol_version)
        print("tools", *[tool.name for tool in tools.tools])

        asked = await client.call_tool("request_statement", {"month": 1, "year": 2026})
        assert not asked.is_error, asked
        request = asked.structured_content["request_id"]
        print("asked", asked.structured_content["status"])

        # The test approves and delivers when it sees this line.
        print("request", request, flush=True)
        ended = await client.call_tool("get_request", {"request_id": request, "wait_seconds": 60})
        assert not ended.is_error, ended
        print("ended", ended.structured_content["status"])
        link = ended.content[-1]
        print("link", link.type, link.mime_type)

        read = await client.read_resource(link.uri)
        print("resource", read.contents[0].mime_type, read.contents[0].blob[:8])

        listed = await client.call_tool("list_requests", {"limit": 5})
        assert not listed.is_error, listed
        print("listed", request in [one["request_id"] for one in listed.structured_content["requests"]])

        banks = await client.call_tool("list_banks", {})
        print("banks", banks.structured_content["banks"])
        several = await client.call_tool("request_documents", {"from": "2025-01", "to": "2025-02", "kinds": ["pdf", "camt"]})
        assert several.is_error and "no phone has told its banks" in several.content[0].text, several

        offered = await client.call_tool("offer_documents", {"from": "2025-03"})
        offer = offered.structured_content
        assert not offered.is_error, offered
        again = (await client.call_tool("offer_documents", {"from": "2025-03", "to": "2025-03"})).structured_content
        print("offered", offer["status"], offer["from"], offer["to"], again["offer_id"] == offer["offer_id"])

        there = (await client.call_tool("list_documents", {"kind": "pdf"})).structured_content["documents"]
        print("documents", len(there), there[0]["bank_id"], there[0]["kind"])
        found = (await client.call_tool("find_documents", {"words": "first page"})).structured_content["documents"]
        print("found", len(found), found[0]["excerpt_untrusted"])
        text = await client.call_tool("read_document", {"document_id": there[0]["document_id"], "first_page": 2})
        page = text.structured_content
        print("read", page["first_page"], page["page_count"], page["text_untrusted"])
        nothing = await client.call_tool("read_document", {"document_id": "0" * 32})
        print("nothing", nothing.is_error)

        refused = await client.call_tool("get_request", {"request_id": "no such id"})
        print("refused", refused.is_error)


asyncio.run(main(*sys.argv[1:]))
