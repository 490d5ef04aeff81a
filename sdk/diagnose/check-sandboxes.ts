import type { Configuration } from '../config/configuration.ts';
import { toKubernetesOptions } from '../engine/engine-settings.ts';
import type { Finding } from './finding.ts';

/** The drivers and, if none can be used, the failure of a run. */
export async function checkSandboxes(home: string, configuration: Configuration | undefined): Promise<Finding[]> {
  const { probeSandboxes } = await import('@klaus/adapters/sandboxes');
  const image = configuration?.get('sandbox.image');
  const isKubernetes = configuration?.get('sandbox.driver') === 'kubernetes';
  const kubernetes = configuration && isKubernetes ? toKubernetesOptions(configuration) : undefined;
  const drivers = await probeSandboxes({ home, image, kubernetes });
  const fetches = configuration?.get('sandbox.fetch') ?? true;
  const findings = drivers.map((driver): Finding => {
    const name = `sandbox ${driver.name}`;
    if (driver.available) return { name, status: driver.name === 'host' ? 'warn' : 'ok', text: driver.detail };
    const { reason, fix, install } = driver;
    if (driver.canFetch && fetches)
      return { name, status: 'warn', text: `${reason}; the first session fetches it`, fix, canFetch: true };
    const text = driver.canFetch ? `${reason}, and sandbox.fetch is off, by which it would be fetched` : reason;
    return { name, status: 'warn', text, fix, install };
  });
  const chosen = configuration?.get('sandbox.driver');
  const docker = configuration?.get('dockerEnabled');
  const usable = drivers.filter((driver) => {
    const { name } = driver;
    const isThere = driver.available || (driver.canFetch === true && fetches);
    if (!isThere || (name === 'docker' && docker === false)) return false;
    if (chosen !== undefined) return name === chosen;
    return docker === true ? name === 'docker' : name !== 'host';
  });
  if (usable.length > 0) {
    const used = new Set(usable.map(({ name }) => `sandbox ${name}`));
    // Another driver that does not work is no problem then.
    return findings.map((finding) =>
      used.has(finding.name)
        ? finding
        : { name: finding.name, status: 'ok', text: `not used: ${finding.text}`, unused: true },
    );
  }
  const wanted = chosen ?? (docker === true ? 'docker' : undefined);
  const text =
    wanted === undefined ? 'no sandbox works here' : `the sandbox that is configured, ${wanted}, does not work here`;
  const fixes = findings.flatMap((finding) =>
    wanted === undefined || finding.name.endsWith(wanted) ? (finding.fix ?? []) : [],
  );
  const fix = fixes.join(' Or else: ').replaceAll('Or else: Type: ', 'Or else type: ');
  return [...findings, { name: 'sandbox', status: 'fail', text, fix, code: 'sandbox.unavailable' }];
}
