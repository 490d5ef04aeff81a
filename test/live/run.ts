// `npm run test:live -- --base-url URL`: the clients of models against a real server. `-- --help` has the options.
import { parseArgs } from 'node:util';
import { MAX_REQUESTS } from './live-server.ts';
import { CHECKS, runChecks } from './run-checks.ts';
import { readServerFacts } from './server-facts.ts';
import { WIRES, type Wire } from './target.ts';
import { toReport } from './report.ts';

const HELP = `npm run test:live -- --base-url URL [options]

Checks the clients of models against a real server, and prints a table. The exit code is 1 if a check failed, or if
nothing was checked. A check whose capability the server lacks is skipped, with the reason.

  --base-url URL    as in the documentation of the server, such as https://api.openai.com/v1
  --model ID        default: the first one that the server lists
  --wire WIRE       chat, responses or messages; repeatable. Default: each one that the server has
  --key KEY         default: the variable LIVE_KEY
  --key-header NAME header with the key. Default: authorization; x-api-key with messages
  --max-output N    longest answer that is requested, in tokens. Default 256; a model that reasons may need more
  --window N        tokens of the context window. Default: as the server says
  --max-window N    largest window that is filled, in tokens. Default 40000
  --timeout S       seconds for one answer. Default 120
  --only CHECK      name of a check; repeatable

Bounds: at most ${MAX_REQUESTS} requests on a wire (usually 30), one after the other, and a session of at most 8 prompts. The checks of
the window send about three times its tokens; the others about 15,000 tokens on a wire.`;

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    model: { type: 'string' },
    wire: { type: 'string', multiple: true },
    key: { type: 'string', default: process.env['LIVE_KEY'] },
    'key-header': { type: 'string' },
    'max-output': { type: 'string', default: '256' },
    window: { type: 'string' },
    'max-window': { type: 'string', default: '40000' },
    timeout: { type: 'string', default: '120' },
    only: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
});

function toWires(names: readonly string[]): Wire[] {
  const unknown = names.find((name) => !WIRES.includes(name as Wire));
  if (unknown !== undefined) throw new Error(`\`--wire\` is ${WIRES.join(', ')}, not ${unknown}.`);
  return names as Wire[];
}

async function main(baseUrl: string): Promise<void> {
  const { key, window, only } = values;
  const unknown = only?.find((name) => CHECKS.every((check) => check.name !== name));
  if (unknown !== undefined) throw new Error(`\`--only\` is one of: ${CHECKS.map(({ name }) => name).join('; ')}.`);
  const facts = await readServerFacts({ baseUrl, key, model: values.model });
  if (window !== undefined) facts.contextWindow = Number(window);
  const model = values.model ?? facts.models[0];
  if (model === undefined) throw new Error('The server lists no models: add `--model ID`.');
  const target = {
    ...{ baseUrl, model, key, keyHeader: values['key-header'] },
    maxOutputTokens: Number(values['max-output']),
    maxWindow: Number(values['max-window']),
    timeoutMs: Number(values.timeout) * 1_000,
  };
  const begun = performance.now();
  const reports = await runChecks({
    ...{ target, facts, only, wires: values.wire ? toWires(values.wire) : WIRES, isAnyWire: values.wire === undefined },
    onResult: (wire, { name, status }) => console.error(`${wire}: ${name}: ${status}`),
  });
  console.log(toReport(reports, { target, facts, seconds: (performance.now() - begun) / 1_000 }));
  const results = reports.flatMap((report) => report.results);
  process.exitCode = results.length === 0 || results.some(({ status }) => status === 'failed') ? 1 : 0;
}

if (values.help || values['base-url'] === undefined) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else await main(values['base-url']);
