// The official TypeScript client (npm @modelcontextprotocol/sdk) on mcp-memory;
// clients_test.go runs it. Its one argument is the connection as JSON:
// transport (stdio, http or sse), and server and dir, or url, token, other and
// wrong. After listTools the client checks every structured answer against the
// tool's output schema. Exit code 0: all that was checked holds.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const given = JSON.parse(process.argv[2]);

function transport(token) {
  if (given.transport === 'stdio') {
    const env = { ...process.env, MCP_MEMORY_DIR: given.dir, MCP_MEMORY_LOG: 'warn' };
    return new StdioClientTransport({ command: given.server, env });
  }
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  if (given.transport === 'http') {
    return new StreamableHTTPClientTransport(new URL(given.url), options);
  }
  const fetchStream = (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...options.requestInit.headers } });
  return new SSEClientTransport(new URL(given.url), { ...options, eventSourceInit: { fetch: fetchStream } });
}

// connect opens a session; answer, if given, is how its user answers questions.
async function connect(token, answer) {
  const client = new Client({ name: 'official-typescript', version: '1.0.0' }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer) client.setRequestHandler(ElicitRequestSchema, answer);
  await client.connect(transport(token));
  return client;
}

// call calls a tool that must succeed; the client has checked the structure.
async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name} succeeds: ${JSON.stringify(result.content)}`);
  assert.ok(result.content[0].text.trim(), `${name} answers text too`);
  return result.structuredContent;
}

async function read(client, uri) {
  const { contents } = await client.readResource({ uri });
  assert.equal(contents.length, 1, `${uri} has one content`);
  assert.ok(contents[0].text, `${uri} has a text`);
  return contents[0].text;
}

const ids = (answer) => answer.matches.map((m) => m.id);

async function listsTools(client) {
  const tools = new Map((await client.listTools()).tools.map((t) => [t.name, t]));
  for (const name of ['remember', 'recall', 'forget']) {
    assert.ok(tools.get(name)?.outputSchema, `${name} is listed and declares its output, so that it is validated`);
  }
  assert.equal(tools.get('recall').annotations.readOnlyHint, true);
  assert.equal(tools.get('forget').annotations.destructiveHint, true);
}

async function remembersAndSupersedes(client) {
  const city = (name) => ({ text: `The user lives in ${name}.`, entity: 'user', attribute: 'home city', value: name });
  const [first] = (await call(client, 'remember', city('Lisbon'))).memories;
  assert.equal(first.status, 'stored');
  const [second] = (await call(client, 'remember', { memories: [city('Porto')] })).memories;
  assert.deepEqual(second.supersedes, [first.id]);
  await call(client, 'remember', { text: '小明喜欢在周末喝龙井茶。', entity: '小明', attribute: 'favourite tea', value: '龙井', tags: ['茶'] });
  return [first.id, second.id];
}

async function recalls(client, old, current) {
  const found = ids(await call(client, 'recall', { query: 'lives in Porto', explain: true }));
  assert.equal(found[0], current, 'the current one is recalled first');
  assert.ok(!found.includes(old), 'the superseded one is not');
  assert.equal(ids(await call(client, 'recall', { query: '龙井茶', tags: ['茶'] })).length, 1, 'Chinese is recalled');
  const profile = await call(client, 'recall', { format: 'context', max_tokens: 200 });
  assert.match(profile.context, /Porto/);
}

async function refusesBadInput(client) {
  const result = await client.callTool({ name: 'recall', arguments: { querry: 'Porto' } });
  assert.ok(result.isError, 'an unknown argument is refused');
  assert.match(result.content[0].text, /query/);
}

async function readsResources(client, current) {
  const uris = (await client.listResources()).resources.map((r) => r.uri);
  const texts = {};
  for (const uri of uris) texts[uri] = await read(client, uri);
  assert.match(texts['memory://profile'], /Porto/);
  assert.ok(texts['memory://recent']);
  assert.ok(texts['memory://upcoming']);
  assert.ok(JSON.parse(texts['memory://stats']).records >= 3, 'stats count');
  const templates = (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate);
  assert.ok(templates.includes('memory://record/{id}') && templates.includes('memory://timeline/{entity}'), templates.join());
  assert.match(await read(client, `memory://record/${current}`), /Lisbon/);
  assert.match(await read(client, `memory://timeline/${encodeURIComponent('小明')}`), /龙井/);
}

async function forgets(client, current) {
  assert.equal((await call(client, 'forget', { ids: [current] })).forgotten, 1);
  assert.ok(!ids(await call(client, 'recall', { query: 'lives in Porto' })).includes(current), 'what is forgotten is not recalled');
  assert.equal((await call(client, 'forget', { ids: [current], undo: true })).restored, 1);
}

// Over stdio this client's process is attached to the one that is open already.
async function asksTheUser() {
  const asked = [];
  const client = await connect(given.token, async ({ params }) => {
    asked.push(params.message);
    return asked.length === 1 ? { action: 'decline' } : { action: 'accept', content: {} };
  });
  await call(client, 'remember', { memories: [{ text: 'The raft holds six.' }, { text: 'The raft is tied up.' }] });
  const first = await call(client, 'forget', { query: 'raft' });
  assert.ok(first.forgotten === 0 && first.confirm, 'a no, or nobody to ask, forgets nothing');
  const can = given.transport !== 'sse';
  assert.equal(asked.length, can ? 1 : 0, 'the user is asked where they can be');
  const done = await call(client, 'forget', can ? { query: 'raft' } : { query: 'raft', confirm: first.confirm });
  assert.equal(done.forgotten, 2, 'a yes, or the token, runs it');
  await client.close();
}

async function forgetsAllWhenConfirmed(client) {
  const asked = await call(client, 'forget', { all: true });
  assert.ok(asked.confirm, 'a wide request asks first');
  assert.equal(asked.forgotten, 0);
  assert.ok((await call(client, 'forget', { all: true, confirm: asked.confirm })).forgotten >= 3, 'the token runs it');
  assert.deepEqual(ids(await call(client, 'recall')), [], 'nothing is left');
}

async function keepsUsersApart(current) {
  const other = await connect(given.other);
  assert.deepEqual(ids(await call(other, 'recall', { query: 'Porto' })), [], 'another token recalls nothing');
  const text = await read(other, `memory://record/${current}`).catch(() => '');
  assert.doesNotMatch(text, /Porto/, 'another token reads no record');
  const forgotten = await other.callTool({ name: 'forget', arguments: { ids: [current] } });
  assert.ok(forgotten.isError, 'another token forgets nothing');
  await other.close();
}

const client = await connect(given.token);
await listsTools(client);
const [old, current] = await remembersAndSupersedes(client);
await recalls(client, old, current);
await refusesBadInput(client);
await readsResources(client, current);
if (given.transport !== 'stdio') {
  await keepsUsersApart(current);
  await assert.rejects(connect(given.wrong), { code: 401 }, 'a wrong token is let in');
}
await forgets(client, current);
await asksTheUser();
await forgetsAllWhenConfirmed(client);
await client.close();
console.log('all holds');
process.exit(0); // the refused SSE client would go on trying
