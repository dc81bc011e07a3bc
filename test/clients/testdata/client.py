"""The official Python client (PyPI mcp) on mcp-memory; clients_test.go runs it.

Its one argument is the connection as JSON: transport (stdio, http or sse),
mode (how the client negotiates: auto or legacy), and server and dir, or url,
token, other and wrong. The client checks every structured answer against the
tool's output schema. Exit code 0: all that was checked holds.
"""

import asyncio
import json
import sys
from urllib.parse import quote

import httpx2
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult


class Connection:
    """How to reach the server, as one or another user."""

    def __init__(self, given):
        self.given = given

    def client(self, token=None, **options):
        given = self.given
        if given["transport"] == "stdio":
            environment = {"MCP_MEMORY_DIR": given["dir"], "MCP_MEMORY_LOG": "warn"}
            server = StdioServerParameters(command=given["server"], env=environment)
        else:
            headers = {"Authorization": f"Bearer {token or given['token']}"}
            if given["transport"] == "sse":
                server = sse_client(given["url"], headers=headers, timeout=120)
            else:
                server = streamable_http_client(given["url"], http_client=httpx2.AsyncClient(headers=headers, timeout=120))
        return Client(server, mode=given["mode"], read_timeout_seconds=120, **options)


def expect(holds, what, got=None):
    if not holds:
        raise AssertionError(f"{what}; got {got!r}")


async def call(client, tool, **arguments):
    """Call a tool that must succeed; the client has checked the structure."""
    result = await client.call_tool(tool, arguments)
    expect(not result.is_error, f"{tool} succeeds", result.content)
    expect(result.content[0].text.strip(), f"{tool} answers text too")
    return result.structured_content


async def read(client, uri):
    contents = (await client.read_resource(uri)).contents
    expect(len(contents) == 1 and contents[0].text, f"{uri} has a text", contents)
    return contents[0].text


async def lists_tools(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    expect({"remember", "recall", "forget"} <= set(tools), "the tools are listed", list(tools))
    for tool in tools.values():
        expect(tool.output_schema, f"{tool.name} declares its output, so that it is validated")
    expect(tools["recall"].annotations.read_only_hint, "recall is read-only")
    expect(tools["forget"].annotations.destructive_hint, "forget is destructive")


async def remembers_and_supersedes(client):
    def city(name):
        return {"text": f"The user lives in {name}.", "entity": "user", "attribute": "home city", "value": name}

    first = (await call(client, "remember", **city("Lisbon")))["memories"][0]
    expect(first["status"] == "stored", "a new memory is stored", first)
    second = (await call(client, "remember", memories=[city("Porto")]))["memories"][0]
    expect(second["supersedes"] == [first["id"]], "the newer one supersedes", second)
    await call(client, "remember", text="小明喜欢在周末喝龙井茶。", entity="小明", attribute="favourite tea", value="龙井", tags=["茶"])
    return first["id"], second["id"]


async def recalls(client, old, new):
    found = await call(client, "recall", query="lives in Porto", explain=True)
    expect([m["id"] for m in found["matches"]][:1] == [new], "the current one is recalled first", found)
    expect(old not in [m["id"] for m in found["matches"]], "the superseded one is not", found)
    chinese = await call(client, "recall", query="龙井茶", tags=["茶"])
    expect(len(chinese["matches"]) == 1, "Chinese is recalled", chinese)
    profile = await call(client, "recall", format="context", max_tokens=200)
    expect("Porto" in profile["context"], "a context is rendered", profile)


async def refuses_bad_input(client):
    result = await client.call_tool("recall", {"querry": "Porto"})
    expect(result.is_error and "query" in result.content[0].text, "an unknown argument is refused by name", result)


async def reads_resources(client, new):
    uris = {str(r.uri) for r in (await client.list_resources()).resources}
    expect({"memory://profile", "memory://recent", "memory://upcoming", "memory://stats"} <= uris, "resources are listed", uris)
    texts = {uri: await read(client, uri) for uri in sorted(uris)}
    expect("Porto" in texts["memory://profile"], "the profile has what is current", texts["memory://profile"])
    expect(json.loads(texts["memory://stats"])["records"] >= 3, "stats count", texts["memory://stats"])
    templates = {t.uri_template for t in (await client.list_resource_templates()).resource_templates}
    expect({"memory://record/{id}", "memory://timeline/{entity}"} <= templates, "templates are listed", templates)
    expect("Lisbon" in await read(client, f"memory://record/{new}"), "a record comes with its chain")
    expect("龙井" in await read(client, "memory://timeline/" + quote("小明")), "a timeline is read by its encoded name")


async def forgets(client, new):
    gone = await call(client, "forget", ids=[new])
    expect(gone["forgotten"] == 1, "an id is forgotten at once", gone)
    after = await call(client, "recall", query="lives in Porto")
    expect(new not in [m["id"] for m in after["matches"]], "what is forgotten is not recalled", after)
    back = await call(client, "forget", ids=[new], undo=True)
    expect(back["restored"] == 1, "forgetting is undone", back)


async def asks_the_user(connection):
    """Over stdio this client's process is attached to the one that is open already."""
    asked = []

    async def answer(_, params):
        asked.append(params.message)
        return ElicitResult(action="decline") if len(asked) == 1 else ElicitResult(action="accept", content={})

    async with connection.client(elicitation_callback=answer) as client:
        can = connection.given["transport"] != "sse" and client.protocol_version < "2026-07-28"
        await call(client, "remember", memories=[{"text": "The raft holds six."}, {"text": "The raft is tied up."}])
        first = await call(client, "forget", query="raft")
        expect(first["forgotten"] == 0 and first["confirm"], "a no, or nobody to ask, forgets nothing", first)
        if can:
            expect(len(asked) == 1 and "2 memories" in asked[0] and "The raft holds six." in asked[0], "the user was asked", asked)
            first = await call(client, "forget", query="raft")
        else:
            expect(not asked, "nobody is asked", asked)
            first = await call(client, "forget", query="raft", confirm=first["confirm"])
        expect(first["forgotten"] == 2, "a yes, or the token, runs it", first)


async def forgets_all_when_confirmed(client):
    asked = await call(client, "forget", all=True)
    expect(asked["confirm"] and asked["forgotten"] == 0, "a wide request asks first", asked)
    done = await call(client, "forget", all=True, confirm=asked["confirm"])
    expect(done["forgotten"] >= 3, "the token runs it", done)
    expect((await call(client, "recall"))["matches"] == [], "nothing is left")


async def keeps_users_apart(connection, new):
    async with connection.client(connection.given["other"]) as other:
        expect((await call(other, "recall", query="Porto"))["matches"] == [], "another token recalls nothing")
        try:
            text = await read(other, f"memory://record/{new}")
        except MCPError:
            text = ""
        expect("Porto" not in text, "another token reads no record", text)
        expect((await other.call_tool("forget", {"ids": [new]})).is_error, "another token forgets nothing")


async def refuses_wrong_token(connection):
    try:
        async with connection.client(connection.given["wrong"]) as client:
            await client.list_tools()
    except Exception:  # which one depends on the transport
        return
    raise AssertionError("a wrong token is let in")


async def main():
    connection = Connection(json.loads(sys.argv[1]))
    async with connection.client() as client:
        await lists_tools(client)
        old, new = await remembers_and_supersedes(client)
        await recalls(client, old, new)
        await refuses_bad_input(client)
        await reads_resources(client, new)
        if connection.given["transport"] != "stdio":
            await keeps_users_apart(connection, new)
            await refuses_wrong_token(connection)
        await forgets(client, new)
        await asks_the_user(connection)
        await forgets_all_when_confirmed(client)
        print(f"protocol {client.protocol_version}: all holds")


asyncio.run(main())
