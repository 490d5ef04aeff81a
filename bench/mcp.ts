import { runCalls, toEntry } from '../test/mcp/open-session.ts';
import type { Benchmark } from './benchmark.ts';

const SEARCH = [{ name: 'tool_search', input: { query: 'tool_150' } }];

/** What a server with 200 tools adds to the first request, with the same session without it. */
export const mcp: Benchmark = {
  name: 'mcp',
  async run() {
    const without = await measure({});
    const size = await measure({ many: toEntry('many') });
    return [
      { name: 'bytes that 200 MCP tools add to the first request', value: size - without, unit: 'bytes', most: 200 },
    ];
  },
};

/** Bytes of the first request, without the path of its workspace. */
async function measure(servers: Readonly<Record<string, unknown>>): Promise<number> {
  await using run = await runCalls(servers, SEARCH);
  const { server, place } = run.engine;
  const found = run.results[0]?.output.includes('mcp__many__tool_150') === true;
  if (found !== 'many' in servers) throw new Error('the search did not list the tools of the server');
  return Buffer.byteLength(server.requests[0]!.body.replaceAll(place.workspace, ''));
}
