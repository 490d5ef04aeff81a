import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { approveOption } from '../../program/run-options.ts';
import { addProject } from '../agents/definition-options.ts';

export const test: LeafCommand = {
  name: 'test',
  summary: 'run the hooks before a call, and print their findings: exit 0 no objection, 6 denied or asked',
  examples: [
    'klaus hooks test run_command \'{"command": "npm test"}\'',
    'klaus hooks test write_file \'{"path": "a.txt", "content": ""}\'',
  ],
  server: 'none',
  declare: (declared) =>
    addProject(
      declared
        .argument('<tool>', 'a tool of Klaus')
        .argument('<input>', 'its input as JSON')
        .addOption(approveOption('the approval mode (default: auto)'))
        .option('--json', 'one JSON object on one line'),
    ),
  async run(name: string, text: string, { cwd, json, approve = 'auto' }: Options & { approve?: Options['approve'] }) {
    await using klaus = await openKlaus({ cwd });
    const { driver } = klaus.configuration.values.sandbox;
    const call = { name, input: parse(text) };
    const { decision } = await klaus.explain(call, { mode: approve, hooks: true, sandbox: driver });
    const exit = decision.verdict === 'allow' ? EXIT.done : EXIT.denied;
    if (json) {
      out.json(decision);
      return exit;
    }
    const found = decision.findings.filter(({ rule }) => rule === 'hook');
    const lines = found.map(({ verdict, reason }) => `${verdict}: ${toPrintable(reason)}`);
    if (lines.length === 0) lines.push('no hook ran');
    if (decision.rule !== 'hook')
      lines.push(`${decision.verdict} by ${decision.rule}: ${toPrintable(decision.reason)}`);
    out.write(`${lines.join('\n')}\n`);
    return exit;
  },
};

/** A text that is not JSON is no valid input of any tool. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
