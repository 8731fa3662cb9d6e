"""Uses a server as a client that knows no skills does, with the Python SDK.

    python client.py SKILLS DIRECTORY
"""

import asyncio
import base64
import pathlib
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

skills, directory = sys.argv[1:]
server = StdioServerParameters(command=skills, args=["serve", directory])


async def use(session) -> None:
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert set(tools) == {"open_skill", "read_skill_file"}, tools
    assert "**pdf**" in tools["open_skill"].description
    opened = await session.call_tool("open_skill", {"name": "pdf"})
    assert "kumquat" in opened.content[0].text
    guide = await session.call_tool("read_skill_file", {"name": "pdf", "path": "references/a guide.md"})
    file = pathlib.Path(directory, "pdf/references/a guide.md").read_bytes()
    assert guide.content[0].text.encode() == file
    unknown = await session.call_tool("open_skill", {"name": "none"})
    assert unknown.is_error, unknown
    resources = {str(one.uri) for one in (await session.list_resources()).resources}
    assert "skill://pdf/assets/logo%20%231.png" in resources, resources
    for uri in resources:
        content = (await session.read_resource(uri)).contents[0]
        blob = getattr(content, "blob", None)
        data = base64.b64decode(blob) if blob is not None else content.text.encode()
        path = uri.removeprefix("skill://").replace("%20", " ").replace("%23", "#")
        assert data == pathlib.Path(directory, path).read_bytes(), uri
    prompts = [one.name for one in (await session.list_prompts()).prompts]
    assert prompts == ["odd", "pdf", "plain"], prompts
    prompt = await session.get_prompt("pdf", {"request": "go on"})
    assert prompt.messages[0].content.text.endswith("User: go on")
    try:
        await session.read_resource("skill://pdf/../plain/SKILL.md")
    except Exception as error:
        assert "traversal" in str(error), error
    else:
        raise AssertionError("a path that leaves the skill was read")


async def main() -> None:
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        assert (await session.initialize()).protocol_version == "2025-11-25"
        await use(session)
    async with Client(stdio_client(server)) as client:
        await use(client)


asyncio.run(main())
