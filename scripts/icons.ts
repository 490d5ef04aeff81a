// Draws the icons of the installed page from its mark: `node scripts/icons.ts`. They are part of the repository.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, WITHOUT_BROWSER } from '../test/fixtures/browser.ts';

const FOLDER = join(import.meta.dirname, '../apps/web/public');

/** A maskable icon may be cut to a circle of 80 %: its mark is smaller, and its colour fills the square. */
const ICONS = [
  { name: 'icon-192', size: 192, isMaskable: false },
  { name: 'icon-512', size: 512, isMaskable: false },
  { name: 'icon-maskable-512', size: 512, isMaskable: true },
];

async function draw(): Promise<void> {
  const mark = readFileSync(join(FOLDER, 'favicon.svg'), 'utf8');
  const [, colour = ''] = /fill="(#\w+)"/.exec(mark) ?? [];
  await using browser = await openBrowser();
  for (const { name, size, isMaskable } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const inner = isMaskable ? size * 0.72 : size;
    await page.setContent(
      `<body style="margin:0;display:grid;place-items:center;height:${size}px;background:${
        isMaskable ? colour : 'transparent'
      }">${mark.replace('<svg ', `<svg width="${inner}" height="${inner}" `)}</body>`,
    );
    writeFileSync(join(FOLDER, `${name}.png`), await page.screenshot({ omitBackground: true }));
    console.log(`apps/web/public/${name}.png`);
    await page.close();
  }
}

if (WITHOUT_BROWSER === undefined) await draw();
else {
  console.error(`No icons ${WITHOUT_BROWSER}.`);
  process.exitCode = 1;
}
