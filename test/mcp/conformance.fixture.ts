// The client of the conformance suite: connects to the address in its last argument as a session does, and uses what the
// scenario in MCP_CONFORMANCE_SCENARIO expects.
import { connectServer } from '../../adapters/mcp/connect-server.ts';
import { createSessionLogin, logInToServer, type LoginStore } from '../../adapters/mcp/oauth.ts';

const url = process.argv.at(-1)!;
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown>;
const { signal } = new AbortController();

let stored: string | undefined;
const store: LoginStore = {
  read: async () => stored,
  write: async (text) => void (stored = text),
};

const open = (isLoggedIn: boolean) =>
  connectServer({
    name: 'conformance',
    server: { kind: 'http', url, headers: {} },
    exec: () => Promise.reject(new Error('it is no program')),
    signal,
    asks: true,
    ...(isLoggedIn ? { login: createSessionLogin(store, { name: 'server' }) } : {}),
  });

async function connect() {
  if (!scenario.startsWith('auth/')) return open(false);
  await open(false).then(
    (connection) => connection.close(),
    () => {},
  );
  // The browser of the user follows the address to the callback.
  await logInToServer({ name: 'conformance', url, store, onUrl: (at) => void fetch(at), signal });
  return open(true);
}

const connection = await connect();
try {
  // The user accepts what each form offers.
  const ask = async () => ({ action: 'accept' as const, content: {} });
  const at = { signal, timeoutMs: 20_000, ask };
  const inputs: Record<string, Record<string, unknown>> = { add_numbers: { a: 5, b: 3 } };
  const asked = Array.isArray(context['toolCalls'])
    ? (context['toolCalls'] as { name: string; arguments: object }[])
    : [];
  const { tools } = await connection.tools(signal);
  // It checks that the schema arrived unchanged.
  const others = tools.filter(({ name }) => name !== 'json_schema_echo');
  inputs['json_schema_echo'] = { schema: others[0]?.inputSchema };
  for (const tool of tools) {
    const own = asked.filter(({ name }) => name === tool.name).map((call) => call.arguments as Record<string, unknown>);
    for (const input of own.length > 0 ? own : [inputs[tool.name] ?? {}]) await connection.call(tool, input, at);
  }
} finally {
  await connection.close();
}
process.exit(0);
