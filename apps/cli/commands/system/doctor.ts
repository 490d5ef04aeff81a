import { spawnSync } from 'node:child_process';
import { EXIT, toExitCode } from '../../program/exit-codes.ts';
import { createPaint } from '../../output/paint.ts';
import { toLine } from '@klaus/sdk/printable';
import { toScriptedServer } from '../../session/scripted-model.ts';
import { err, out } from '../../output/sink.ts';

const SIGNS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;
const WORDS = { ok: 'Works:', warn: 'Note:', fail: 'Broken:' } as const;

export interface DoctorOptions {
  json?: true;
  plain?: true;
  /** Run the lines that install what is missing. */
  install?: true;
}

/** `klaus doctor`: exit 0 when a run can begin, else the code that a run would end with. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { diagnose, fetchSandbox, KlausError, toHostEnvironment } = await import('@klaus/sdk');
  let findings = await diagnose({ scripted: toScriptedServer });
  const lines = options.install === true ? findings.flatMap((finding) => finding.install ?? []) : [];
  for (const line of lines) {
    err.write(`+ ${line}\n`);
    // Its own words go to standard error: standard output is the report.
    spawnSync('/bin/sh', ['-c', line], { stdio: ['inherit', 2, 2], env: toHostEnvironment() });
  }
  const fetches = options.install === true && findings.some(({ canFetch }) => canFetch);
  if (fetches) {
    err.write('Fetching bubblewrap by apt into KLAUS_HOME …\n');
    const reason = await fetchSandbox({});
    if (reason !== undefined) err.write(`${toLine(reason, 2_000)}\n`);
  }
  if (fetches || lines.length > 0) findings = await diagnose({ scripted: toScriptedServer });
  const worst = findings.find((finding) => finding.status === 'fail');
  const exitCode = worst === undefined ? EXIT.done : toExitCode(new KlausError(worst.code ?? 'config', worst.text));
  if (options.json === true) {
    out.json({ ok: worst === undefined, findings }, 2);
    return exitCode;
  }
  const plain = options.plain ?? false;
  const paint = createPaint(out, plain);
  for (const { name, status, text, fix } of findings) {
    const [color, sign] = SIGNS[status];
    const mark = plain ? WORDS[status] : paint(color, sign);
    out.write(`${mark} ${name}: ${toLine(text, 2_000)}\n`);
    if (fix !== undefined && status !== 'ok') out.write(`    ${paint('bold', toLine(fix, 2_000))}\n`);
  }
  out.write(`${worst === undefined ? 'A run can begin here.' : 'A run cannot begin here yet.'}\n`);
  return exitCode;
}
