// Covers adapters/tools/terraform: plans, applies and destroys through the loop with the real program.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { TERRAFORM_PROGRAMS, type TerraformProgram } from '@klaus/core/protocol';
import type { Event } from '@klaus/sdk';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';

const programs = TERRAFORM_PROGRAMS.filter((name) => spawnSync(name, ['-version']).error === undefined);
for (const name of TERRAFORM_PROGRAMS)
  if (!programs.includes(name)) console.warn(`skipped here: tests that need the program ${name}`);

const SECRET = 'unusual-value-48213';
const MAIN = `
variable "who" {
  type = string
}

variable "key" {
  type      = string
  sensitive = true
  default   = "${SECRET}"
}

resource "terraform_data" "greeting" {
  input = "hello \${var.who}"
}

output "greeting" {
  value = terraform_data.greeting.output
}

output "key" {
  value     = var.key
  sensitive = true
}
`;

const INIT: ToolCall = { name: 'terraform_init', input: { folder: 'infra' } };
const PLAN: ToolCall = { name: 'terraform_plan', input: { folder: 'infra', vars: { who: 'world' } } };
const APPLY: ToolCall = { name: 'terraform_apply', input: { folder: 'infra' } };

interface Played {
  engine: TestEngine;
  events: Event[];
  results: { name: string; outcome: string; output: string; detail?: unknown }[];
  verdicts: string[];
}

/** Makes the calls, one in each turn, and approves what is asked. @param onAsk Runs before each answer. */
async function run(engine: TestEngine, onAsk: (count: number) => void = () => {}): Promise<Played> {
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  let advanced = await session.advance();
  for (let count = 1; advanced.state === 'parked' && count < 10; count += 1) {
    onAsk(count);
    for (const { approval } of advanced.approvals) await engine.klaus.answer(approval, 'approved', { by: 'test' });
    advanced = await session.advance();
  }
  const events = await Array.fromAsync(session.events());
  return {
    engine,
    events,
    results: ofType(events, 'tool.finished').map(({ name, outcome, output, detail }) => ({
      name,
      outcome,
      output,
      detail,
    })),
    verdicts: ofType(events, 'gate.decided').map(({ verdict }) => verdict),
  };
}

const startWith = (terraform: TerraformProgram, calls: readonly ToolCall[]): Promise<TestEngine> =>
  createTestEngine({
    files: { 'infra/main.tf': MAIN },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual', 'deploy.terraform': terraform },
    script: {
      steps: calls.map((call, turn) => ({ when: { turn, tools: true }, reply: { calls: [call] } })),
      fallback: { text: 'Done.' },
    },
  });

describe.each(programs)('with the program %s', { timeout: 120_000 }, (program) => {
  const start = (calls: readonly ToolCall[]) => startWith(program, calls);

  test('a plan is applied after its approval, its outputs are shown without secrets, and destroy asks', async () => {
    await using engine = await start([
      INIT,
      PLAN,
      APPLY,
      { name: 'terraform_output', input: { folder: 'infra' } },
      { name: 'terraform_destroy', input: { folder: 'infra', vars: { who: 'world' } } },
    ]);
    const { events, results, verdicts } = await run(engine);
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(verdicts).toEqual(['allow', 'allow', 'ask', 'allow', 'allow', 'ask', 'allow']);
    expect(results[1]!.detail).toMatchObject({ add: 1, change: 0, destroy: 0 });
    expect(results[3]!.detail).toMatchObject({ outputs: { greeting: '"hello world"', key: '(sensitive)' } });
    const asked = ofType(events, 'approval.asked');
    const { plan } = results[1]!.detail as { plan: string };
    expect(asked[0]!.title).toContain(plan);
    expect(asked[0]!.title).toContain('1 to add, 0 to change, 0 to destroy');
    expect(asked[1]!.title).toContain('1 resource: terraform_data.greeting');
    expect(asked.every(({ subject }) => subject.kind === 'call' && subject.remember === undefined)).toBe(true);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    const state = JSON.parse(readFileSync(join(engine.place.workspace, 'infra/terraform.tfstate'), 'utf8')) as object;
    expect(state).toMatchObject({ resources: [] });
  });

  test.each<[string, ToolCall[], string]>([
    [
      'a changed configuration',
      [PLAN, { name: 'run_command', input: { command: 'echo "# new" >> infra/main.tf' } }],
      'workspace.conflict',
    ],
    [
      'a changed plan file',
      [PLAN, { name: 'run_command', input: { command: 'echo >> infra/.terraform/klaus.tfplan' } }],
      'workspace.conflict',
    ],
    [
      'a plan of a command',
      [
        {
          name: 'run_command',
          input: {
            command: `cd infra && mkdir -p .terraform && ${program} plan -var who=me -out=.terraform/klaus.tfplan`,
          },
        },
      ],
      'workspace.conflict',
    ],
  ])('%s is not applied, and no user is asked', async (_, calls, code) => {
    await using engine = await start([INIT, ...calls, APPLY]);
    const { results, events } = await run(engine);
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', ...calls.map(() => 'ok'), 'error']);
    expect(results.at(-1)!.detail).toMatchObject({ code });
    expect(ofType(events, 'approval.asked')).toEqual([]);
    expect(existsSync(join(engine.place.workspace, 'infra/terraform.tfstate'))).toBe(false);
  });

  test('a plan that is stale fails, with what to do', { tags: ['long'] }, async () => {
    await using engine = await start([INIT, PLAN, APPLY, APPLY]);
    const { results } = await run(engine);
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'error']);
    expect(results[3]!.output).toContain('terraform_plan');
  });

  test('an approval does not cover a configuration that changed while it was pending', async () => {
    await using engine = await start([INIT, PLAN, APPLY]);
    const file = join(engine.place.workspace, 'infra/main.tf');
    const { results } = await run(engine, () => appendFileSync(file, '# later\n'));
    expect(results.at(-1)).toMatchObject({
      name: 'terraform_apply',
      outcome: 'error',
      detail: { code: 'workspace.conflict' },
    });
    expect(existsSync(join(engine.place.workspace, 'infra/terraform.tfstate'))).toBe(false);
  });

  test('an approval to destroy does not cover another state: it asks again', async () => {
    await using engine = await start([INIT, PLAN, APPLY, { name: 'terraform_destroy', input: PLAN.input! }]);
    const state = join(engine.place.workspace, 'infra/terraform.tfstate');
    const { verdicts, results } = await run(engine, (count) => {
      if (count !== 2) return;
      const { serial, ...rest } = JSON.parse(readFileSync(state, 'utf8')) as { serial: number };
      writeFileSync(state, JSON.stringify({ ...rest, serial: serial + 1 }));
    });
    expect(verdicts.slice(-3)).toEqual(['ask', 'ask', 'allow']);
    expect(results.at(-1)).toMatchObject({ outcome: 'ok' });
  });

  test('names and values of variables that are no plain text are refused before any command', async () => {
    const wrong: Record<string, string>[] = [
      { 'a b': '1' },
      { '-x': '1' },
      { who: '$(id)' },
      { who: 'a;b' },
      { who: 'a\nb' },
      { who: '`id`' },
    ];
    await using engine = await start([
      ...wrong.map((vars): ToolCall => ({ name: 'terraform_plan', input: { folder: 'infra', vars } })),
      { name: 'terraform_plan', input: { folder: 'infra', varFile: '../../x.tfvars' } },
      { name: 'terraform_plan', input: { folder: 'infra', varFile: 'main.tf' } },
      { name: 'terraform_plan', input: { folder: 'missing' } },
    ]);
    const { results, verdicts } = await run(engine);
    expect(new Set(verdicts)).toEqual(new Set(['deny']));
    expect(results).toHaveLength(wrong.length + 3);
  });
});
