import { KlendathuError } from './klendathu-error.ts';
import type { Mode } from './options.ts';

/** The oldest Node.js that an agent can look into, and the oldest that makes and looks at records. */
const LIVE = [22, 12] as const;
const RECORDS = [20, 0] as const;

/**
 * Checks the Node.js of this process.
 *
 * @throws KlendathuError `node-outdated`, with the version that is needed.
 */
export function checkRuntime(mode: Exclude<Mode, 'auto'>, version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const needed = mode === 'live' ? LIVE : RECORDS;
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return;
  throw new KlendathuError(
    'node-outdated',
    `This is Node.js ${version}, and the mode \`${mode}\` needs ${needed.join('.')} or newer.`,
    {
      hint:
        mode === 'live' && major >= RECORDS[0]
          ? 'Use a newer Node.js, or `mode: "frozen"` or `mode: "record"`, which look at a record.'
          : 'Use a newer Node.js.',
    },
  );
}
