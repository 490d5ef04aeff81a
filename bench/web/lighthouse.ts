import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, WITHOUT_BROWSER } from '../../test/fixtures/browser.ts';
import { createTestHome, type TestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { median } from '../measure.ts';
import { buildBundle } from '../program.ts';
import { serve, type Served } from '../server/server-process.ts';
import { addLongLog } from './long-log.ts';

/** The version whose audits the figures come from. It is fetched by npx: 180 MB that no other command needs. */
const LIGHTHOUSE = 'lighthouse@13.5.0';

const SESSION = '01KE0000000000000000BENCH4';
/** Prompts of the session that is opened. */
const EXCHANGES = 20;

const SCREENS = { start: '#/', session: `#/s/${SESSION}`, settings: '#/settings', usage: '#/usage' };

const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;

/** Points that each category must have, of 100. */
const LEAST = 95;

/** Loads of each screen. Its figure is their median, because single scores differ by several points. */
const LOADS = 3;

/** Times that a screen is loaded when Lighthouse fails to record it, which Chromium causes now and then. */
const MAX_TRIES = 3;

const run = promisify(execFile);

/** The scores of Lighthouse, with its settings for a desktop: simulated 10 Mbit/s and a round trip of 40 ms. */
export const lighthouse: Benchmark = {
  name: 'lighthouse',
  async run() {
    if (WITHOUT_BROWSER) return [{ name: 'Lighthouse', skipped: WITHOUT_BROWSER }];
    using place = createTestHome();
    await addLongLog(place, SESSION, { from: 0, count: EXCHANGES });
    await using server = await serve(buildBundle(), place, {});
    const headers = join(place.workspace, 'headers.json');
    writeFileSync(headers, JSON.stringify({ cookie: await signIn(server) }));
    const rows: Row[] = [];
    for (const [name, hash] of Object.entries(SCREENS)) {
      const loads: Partial<Record<string, number>>[] = [];
      for (let at = 0; at < LOADS; at++) loads.push(await audit(new URL(hash, server.url).href, headers, place));
      for (const category of CATEGORIES) {
        rows.push({
          name: `Lighthouse, ${name}: ${category.replace('-', ' ')}`,
          value: median(loads.map((scores) => (scores[category] ?? 0) * 100)),
          unit: 'points',
          least: LEAST,
        });
      }
    }
    return rows;
  },
};

/** The cookie of a signed-in browser. */
async function signIn({ url, token }: Served): Promise<string> {
  const answer = await fetch(new URL('/api/sign-in', url), {
    method: 'POST',
    body: JSON.stringify({ token }),
    headers: { origin: url.origin, 'content-type': 'application/json' },
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (!cookie) throw new Error(`the server refuses its own token: ${answer.status}`);
  return cookie;
}

/** Scores from 0 to 1, by category. */
async function audit(url: string, headers: string, place: TestHome): Promise<Partial<Record<string, number>>> {
  const file = join(place.workspace, 'report.json');
  const input = [
    '--yes',
    LIGHTHOUSE,
    url,
    '--quiet',
    '--preset=desktop',
    // The stream of events never ends, which would be waited for.
    '--max-wait-for-load=15000',
    `--only-categories=${CATEGORIES.join(',')}`,
    '--output=json',
    `--output-path=${file}`,
    `--extra-headers=${headers}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
  ];
  const env = { ...process.env, CHROME_PATH: findChromium()! };
  for (let tries = 1; ; tries++) {
    try {
      await run('npx', input, { env, maxBuffer: 64 << 20 });
      break;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
  const { categories } = JSON.parse(readFileSync(file, 'utf8')) as {
    categories: Record<string, { score: number }>;
  };
  return Object.fromEntries(Object.entries(categories).map(([id, { score }]) => [id, score]));
}
