import { EXIT } from '../../program/exit-codes.ts';
import { toFolder } from '../../session/open-klaus.ts';
import { toLine } from '@klaus/sdk/printable';
import { outputWidth, toTable } from '../../output/table.ts';
import { err, out } from '../../output/sink.ts';

export interface ScanOptions {
  json?: true;
  cwd?: string;
}

/** `klaus secrets scan`: what looks like a secret, with file, line and rule; never the secret itself. */
export async function scan(paths: readonly string[], options: ScanOptions): Promise<number> {
  const { scanSecrets } = await import('@klaus/sdk');
  const rows: string[][] = [];
  for await (const finding of scanSecrets(toFolder(options.cwd ?? '.'), { paths })) {
    const { path, line, rule, fingerprint } = finding;
    if (options.json === true) out.json(finding);
    rows.push([toLine(`${path}:${line}`, 200), rule, fingerprint]);
  }
  if (options.json !== true) {
    if (rows.length === 0) out.write('Nothing looks like a secret.\n');
    else {
      out.write(toTable([['PLACE', 'RULE', 'FINGERPRINT'], ...rows], outputWidth()));
      err.write('klaus secrets allow FINGERPRINT allows what is none.\n');
    }
  }
  return rows.length === 0 ? EXIT.done : EXIT.failed;
}

/** `klaus secrets allow`: a line more in `.klaus/secrets-allow`. */
export async function allow(fingerprints: readonly string[], options: { cwd?: string }): Promise<number> {
  const { allowSecret } = await import('@klaus/sdk');
  for (const fingerprint of fingerprints) {
    const isNew = await allowSecret(toFolder(options.cwd ?? '.'), fingerprint);
    out.write(`${fingerprint.toLowerCase()} ${isNew ? 'is allowed now' : 'was allowed already'}.\n`);
  }
  return EXIT.done;
}
