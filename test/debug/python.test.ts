// Covers python/klendathu, scripts/klendathu: the Python package from its wheel, with its own tests, its types and the client of MCP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DEBUG_TOOLS } from 'klendathu/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isSecretFile, SECRET_FILE_RULES } from '../../core/policy/secrets/secret-files.ts';
import {
  createPythonPlace,
  hasPython,
  installPackages,
  PYTHON_PACKAGE,
  runProgram,
  type PythonPlace,
} from './python.fixture.ts';

// Concurrent: most of the time is that of other programs.
describe.skipIf(!hasPython())('the Python package', () => {
  let place: PythonPlace;
  beforeAll(async () => {
    place = await createPythonPlace();
    // The tests, without the sources beside them: what is tested is the wheel.
    cpSync(join(PYTHON_PACKAGE, 'tests'), join(place.folder, 'klendathu/tests'), { recursive: true });
    for (const file of ['README.md', 'pyproject.toml'])
      cpSync(join(PYTHON_PACKAGE, file), join(place.folder, 'klendathu', file));
  }, 180_000);
  afterAll(() => place?.[Symbol.dispose]());

  test.concurrent('passes its own tests', { timeout: 300_000 }, async () => {
    const cwd = join(place.folder, 'klendathu');
    const command = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--junitxml=report.xml'] as const;
    const { status, output } = await runProgram(command, { cwd, env: place.env });
    expect(status, output).toBe(0);
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(Number(/ tests="(\d+)"/.exec(report)?.[1])).toBeGreaterThan(170);
    expect(/ skipped="(\d+)"/.exec(report)?.[1], output).toBe('0');
  });

  test.concurrent('has complete types', { tags: ['long'], timeout: 120_000 }, async () => {
    const command = ['python3', '-m', 'mypy', '--cache-dir', join(place.folder, 'mypy')] as const;
    const { status, output } = await runProgram(command, { cwd: PYTHON_PACKAGE, env: place.env });
    expect(status, output).toBe(0);
  });

  test.concurrent('accepts models of the first pydantic', { tags: ['long'], timeout: 120_000 }, async () => {
    const folder = join(place.folder, 'pydantic1');
    await installPackages(folder, ['pydantic==1.10.24']);
    const program = `
import pydantic
from klendathu.schema import Invalid, Schema
class User(pydantic.BaseModel):
    name: str
    age: int = 3
assert pydantic.VERSION.startswith("1.")
assert Schema(User).json_schema["required"] == ["name"]
assert Schema(User).read({"name": "Ann"}) == User(name="Ann")
try:
    Schema(User).read({})
except Invalid as error:
    print(len(error.reasons))`;
    const { status, output } = await runProgram(['python3', '-c', program], {
      env: { ...place.env, PYTHONPATH: `${folder}:${place.env['PYTHONPATH']}` },
    });
    expect([status, output.trim()]).toEqual([0, '1']);
  });

  test.concurrent('takes the same names for secret files', async () => {
    const rules = JSON.parse(SECRET_FILE_RULES) as [string[], string[]];
    const others =
      '.env .env.local .env-x .env.example .envrc a.env example.env .dev.vars .dev.vars.sample k.kubeconfig x.pem ca.pem a.pub.pem my_ca.pem x.key x.pub .ssh/config .ssh/x .gnupg/a/b service-account-1.json a-credentials.json credentials.py known_hosts authorized_keys.pem src/main.py key secrets';
    const names = [...rules[0], ...rules[1], ...others.split(' ')].flatMap((name) => [name, `a/${name}`, `${name}x`]);
    const program = `
import json, sys
from klendathu.inspect.wall.secret_files import is_secret_file
print(json.dumps([name for name in json.loads(sys.argv[1]) if is_secret_file(name)]))`;
    const words = ['python3', '-c', program, JSON.stringify(names)] as const;
    const { output } = await runProgram(words, { env: place.env });
    expect(JSON.parse(output)).toEqual(names.filter((name) => isSecretFile(name)));
  });

  test.concurrent('serves the client of the SDK with the tools of the contract', async () => {
    const program = `
import sys
from klendathu.mcp.server import DebugServer
from klendathu.mcp.target import Target
from klendathu.mcp.tools import Tools
try:
    {}["a"]
except KeyError as error:
    target = Target(error, {"order": {"id": 7}}, {})
server = DebugServer(target, Tools(target))
print(server.url, server.token, flush=True)
sys.stdin.read()
server.close()`;
    const child = spawn('python3', ['-c', program], { env: place.env, stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const [url = '', token = ''] = line.split(' ');
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const headers = { Authorization: `Bearer ${token}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))).toEqual(
        Object.entries(DEBUG_TOOLS).map(([name, { description, input }]) => ({
          name,
          description,
          inputSchema: z.toJSONSchema(input, { io: 'input' }),
        })),
      );
      const result = await client.callTool({ name: 'eval', arguments: { code: 'order["id"]' } });
      expect(DEBUG_TOOLS.eval.output.parse(result.structuredContent)).toEqual({ result: '7', console: [] });
      const failed = await client.callTool({ name: 'eval', arguments: { code: 'missing' } });
      expect(failed.isError).toBe(true);
      const frames = await client.callTool({ name: 'frames', arguments: {} });
      expect(DEBUG_TOOLS.frames.output.parse(frames.structuredContent).frames).toHaveLength(1);
      await client.ping();
      await client.close();
    }
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
