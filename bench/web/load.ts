import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openBrowser, WITHOUT_BROWSER } from '../../test/fixtures/browser.ts';
import { readFirstLoad } from '../../test/fixtures/first-load.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { buildBundle, ROOT } from '../program.ts';
import { serve } from '../server/server-process.ts';
import { trace } from './trace.ts';
import { openVisit } from './visit.ts';

/** What comes over the wire before a person can begin, with nothing in the browser's caches. */
export const load: Benchmark = {
  name: 'load',
  async run() {
    const program = buildBundle();
    const files = readFirstLoad(join(ROOT, 'dist/web/dist'));
    const packed = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
    const rows: Row[] = [{ name: 'first load, files with gzip', value: packed / 1e3, unit: 'KB', most: 300 }];
    if (WITHOUT_BROWSER) return [...rows, { name: 'first load in a browser', skipped: WITHOUT_BROWSER }];
    using place = createTestHome();
    await using server = await serve(program, place, {});
    await using browser = await openBrowser();
    await using visit = await openVisit(browser, server);
    let bytes = 0;
    let received = 0;
    await visit.cdp.send('Network.enable');
    visit.cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    // Streams and answers of the API, which do not end, are reported in parts.
    const traced = await trace(browser, visit.page, async () => {
      await visit.page.goto(server.url.href);
      await visit.page.getByRole('textbox', { name: 'Message' }).fill('x');
      // What comes while the trace is read is not part of the first load.
      received = bytes;
    });
    return [
      ...rows,
      { name: 'first load as transferred, with headers', value: received / 1e3, unit: 'KB', most: 300 },
      { name: 'scripting of the first load', value: traced.script, unit: 'ms' },
    ];
  },
};
