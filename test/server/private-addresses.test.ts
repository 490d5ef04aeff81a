// Covers apps/server/access, apps/server/handlers, core/policy/network, sdk/clone, sdk/open: addresses of the machine, by every way in.
//
// Generated from: the role (operator, viewer), the door (a grant with one port, every port or a delegable part, allowed
// hosts, a rule for every host, a redirect of an allowed host, the tool for pages, a command of the user, agents of the user, of the project and of a child, a
// prompt and a chat whose call is approved, sessions, forks and questions of an admin, clones by HTTPS and SSH, with
// submodules, alternates and includes), the spelling of the address (dotted, decimal, hexadecimal, octal, short, mapped
// to IPv6, in a prefix for translation, with a zone, names of this machine, metadata services, Unicode, Punycode, a user
// name), and the listener (a server that counts requests, the server's own port with forged headers of a sign-in).
// Control: the code before these rules fails 12 of 60 cases of the sample.
import { describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { generateCases, type AddressCase } from './private-address-cases.ts';
import { openScene } from './private-address-scene.ts';

/** Cases of `npm test`, and of `npm run test:private-addresses`. */
const COUNT = Number(process.env['PRIVATE_ADDRESS_CASES'] ?? 10);
const ONLY = process.env['PRIVATE_ADDRESS_CASE'];
const ATONCE = 4;

async function playAll(cases: readonly AddressCase[]) {
  await using scene = await openScene();
  const effects: string[] = [];
  const tried = new Map<string, number>();
  const queue = [...cases];
  const work = async (): Promise<void> => {
    for (let each = queue.shift(); each; each = queue.shift()) {
      const outcome = await scene.play(each);
      if (outcome.isReached) effects.push(`${each.name}: ${outcome.statuses.join(' ')}`);
      if (outcome.isTried) tried.set(each.door, (tried.get(each.door) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: ATONCE }, work));
  return { effects, tried };
}

describe('addresses of this machine', () => {
  test('no client below admin reaches one', { timeout: 3_600_000 }, async () => {
    const all = generateCases(ONLY === undefined ? Math.max(COUNT, 500) : Number(ONLY) + 1);
    const spread = Array.from({ length: COUNT }, (_, index) => all[Math.floor((index * all.length) / COUNT)]!);
    const cases = ONLY === undefined ? spread : all.slice(-1);
    const { effects, tried } = await playAll(cases);
    if (COUNT > 10 || effects.length > 0)
      console.log(`${cases.length} cases, ${effects.length} effects; tried:`, tried);
    expect(effects).toEqual([]);
    expect(tried.size).toBeGreaterThan(0);
  });

  test('an admin reaches them by the same ways, so the witnesses see it', async () => {
    const doors = [
      'grant',
      'allowNet',
      'web fetch',
      'agent',
      'redirect',
      'session of an admin',
      'clone https',
    ] as const;
    const cases = doors.map((door, index): AddressCase => ({
      ...{ index: 10_000 + index, role: 'admin', door, host: '127.0.0.1', listener: 'witness', name: door },
    }));
    const { effects } = await playAll(cases);
    expect(effects.map((name) => name.split(':')[0]!).toSorted()).toEqual([...doors].toSorted());
  });
});
