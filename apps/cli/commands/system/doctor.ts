import { spawnSync } from 'node:child_process';
import type { Finding } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { toScriptedServer } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT, toExitCode } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';

const SIGNS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;
const WORDS = { ok: 'Works:', warn: 'Note:', fail: 'Broken:' } as const;

export const command: LeafCommand = {
  name: 'doctor',
  summary: 'check the environment and show fixes',
  examples: ['klaus doctor', 'klaus doctor --install'],
  server: 'none',
  declare: (declared) =>
    declared
      .option('--json', 'one JSON document')
      .option('--plain', 'words instead of symbols')
      .option('--install', 'install missing programs with the package manager of this system'),
  async run({ json, plain, install }: Options & { install?: true }) {
    const { diagnose, KlausError } = await import('@klaus/sdk');
    let findings = await diagnose({ scripted: toScriptedServer });
    if (install && (await installMissing(findings))) findings = await diagnose({ scripted: toScriptedServer });
    const worst = findings.find(({ status }) => status === 'fail');
    if (json) out.json({ ok: worst === undefined, findings }, 2);
    else {
      for (const finding of findings) print(finding, plain ?? false);
      out.write(`${worst === undefined ? 'A run can start here.' : 'A run cannot start here yet.'}\n`);
    }
    return worst === undefined ? EXIT.done : toExitCode(new KlausError(worst.code ?? 'config', worst.text));
  },
};

function print({ name, status, text, fix }: Finding, plain: boolean): void {
  const paint = createPaint(out, plain);
  const [color, sign] = SIGNS[status];
  out.write(`${plain ? WORDS[status] : paint(color, sign)} ${name}: ${toLine(text, 2_000)}\n`);
  if (fix !== undefined && status !== 'ok') out.write(`    ${paint('bold', toLine(fix, 2_000))}\n`);
}

/** True if something was installed, or an attempt was made. */
async function installMissing(findings: readonly Finding[]): Promise<boolean> {
  const { fetchSandbox, toHostEnvironment } = await import('@klaus/sdk');
  const lines = findings.flatMap((finding) => finding.install ?? []);
  for (const line of lines) {
    err.write(`+ ${line}\n`);
    // Its output goes to standard error: standard output is the report.
    spawnSync('/bin/sh', ['-c', line], { stdio: ['inherit', 2, 2], env: toHostEnvironment() });
  }
  const canFetch = findings.some((finding) => finding.canFetch);
  if (canFetch) {
    err.write('Downloading bubblewrap with apt into KLAUS_HOME …\n');
    const reason = await fetchSandbox({});
    if (reason !== undefined) err.write(`${toLine(reason, 2_000)}\n`);
  }
  return canFetch || lines.length > 0;
}
