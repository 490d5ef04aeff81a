import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface Answer {
  isError: boolean;
  text: string;
  console: unknown[];
  /** Milliseconds that the caller waited. */
  ms: number;
}

/** The program of `host.fixture.ts`, and a client of its server. */
export async function openHost(access: 'read' | 'full', execArgv: readonly string[] = []) {
  const child = spawn(process.execPath, [...execArgv, join(import.meta.dirname, 'host.fixture.ts'), access], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async (): Promise<string> => {
    const { done, value } = (await lines.next()) as IteratorResult<string>;
    if (done === true) throw new Error('The program ended.');
    return value;
  };
  const { url, token } = JSON.parse(await readLine()) as { url: string; token: string };
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return {
    pid: child.pid!,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async evaluate(
      code: string,
      options: { frame?: number; readOnly?: boolean; timeoutMs?: number } = {},
    ): Promise<Answer> {
      const started = performance.now();
      const found = await client.callTool({ name: 'eval', arguments: { code, ...options } });
      const ms = performance.now() - started;
      const output = found.structuredContent as { result: string; console: unknown[] } | undefined;
      const [first] = found.content as { text: string }[];
      return {
        isError: found.isError === true,
        text: output?.result ?? first!.text,
        console: output?.console ?? [],
        ms,
      };
    },
    /** Changes with any change of the program. */
    async state(): Promise<string> {
      child.stdin.write('state\n');
      return await readLine();
    },
    async [Symbol.asyncDispose]() {
      await client.close().catch(() => {});
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.write('end\n');
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
      await once(child, 'exit');
      clearTimeout(timer);
    },
  };
}
