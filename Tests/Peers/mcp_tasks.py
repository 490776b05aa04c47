"""Completes a request as a task with the official client, over a restart of client, MCP server and broker.

Usage: mcp_tasks.py EXECUTABLE BROKER_URL TOKEN_FILE STEP [TASK]

`make` asks and prints the task's id; `follow` polls it to its end in a process of its own.
"""

import asyncio
import sys
from typing import Any, Literal

from mcp import types
from mcp.client.client import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.stdio import StdioServerParameters, stdio_client

TASKS = "io.modelcontextprotocol/tasks"


class TaskHandle(types.Result):
    result_type: Literal["task"] = "task"
    model_config = {"extra": "allow"}


class Tasks(ClientExtension):
    identifier = TASKS

    def __init__(self):
        self.made = None

    def claims(self):
        async def resolve(handle, context):
            self.made = handle.model_dump(by_alias=True)
            # The client holds a tool's result against the tool's schema.
            state = {"request_id": self.made["taskId"], "status": "PENDING_APPROVAL"}
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=self.made["taskId"])], structured_content=state)

        return [ResultClaim(result_type="task", model=TaskHandle, resolve=resolve)]


class AnyResult(types.Result):
    model_config = {"extra": "allow"}


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


async def task(client, identifier):
    answer = await client.session.send_request(
        GetTask(params=TaskParams(task_id=identifier)), AnyResult)
    return answer.model_dump(by_alias=True)


async def main(executable, broker, token_file, step, identifier=None):
    server = StdioServerParameters(command=executable, args=["agent", "mcp", "--broker", broker, "--token-file", token_file])
    tasks = Tasks()
    async with Client(stdio_client(server), mode="2026-07-28", extensions=[tasks]) as client:
        print("version", client.protocol_version)
        if step == "make":
            await client.call_tool(
                "request_statement", {"month": 1, "year": 2026, "reason": "for the tax return"})
            print("made", tasks.made["status"])
            print("task", tasks.made["taskId"], flush=True)
            return
        while True:
            state: dict[str, Any] = await task(client, identifier)
            if state["status"] in ("completed", "failed", "cancelled"):
                break
            await asyncio.sleep(0.1)
        print("ended", state["status"], state["result"]["structuredContent"]["status"])
        print("link", state["result"]["content"][-1]["type"])


asyncio.run(main(*sys.argv[1:]))
