import { writeFileSync } from 'node:fs';
import type { IBufferCell, Terminal } from '@xterm/headless';
import type { Page } from 'playwright-core';

/** Colours of a terminal. */
export interface PictureTheme {
  foreground: string;
  background: string;
  /** The first 16 colours. */
  basic: readonly string[];
}

/** The colours of a usual dark terminal. */
const DARK_BASIC = [
  '#2b3038',
  '#e06c75',
  '#98c379',
  '#e5c07b',
  '#61afef',
  '#c678dd',
  '#56b6c2',
  '#c8ccd4',
  '#7d8590',
  '#ff7b86',
  '#b5e890',
  '#ffd68a',
  '#82c4ff',
  '#dd95f2',
  '#74d8e4',
  '#ffffff',
] as const;
const DARK: PictureTheme = { foreground: '#d8dee4', background: '#14171c', basic: DARK_BASIC };
const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** Draws the visible rows of a terminal as a picture. */
export async function drawTerminal(page: Page, terminal: Terminal, path: string): Promise<void> {
  writeFileSync(path, await shootTerminal(page, terminal));
}

/** The visible rows of a terminal as a PNG file, without the empty ones at the end. */
export async function shootTerminal(page: Page, terminal: Terminal, theme = DARK): Promise<Buffer> {
  const { foreground, background } = theme;
  const rows = toRows(terminal, theme).map((row) => `<div>${row || '&nbsp;'}</div>`);
  const style = `body{margin:0;background:${background}}main{display:inline-block;min-width:${terminal.cols}ch;padding:16px 20px;background:${background};color:${foreground};font:14px/1.35 'DejaVu Sans Mono',monospace;white-space:pre}b{font-weight:700}`;
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${style}</style><main>${rows.join('')}</main>`);
  return await page.locator('main').screenshot();
}

function toRows(terminal: Terminal, theme: PictureTheme): string[] {
  const { active } = terminal.buffer;
  const rows: string[] = [];
  for (let row = 0; row < terminal.rows; row++) {
    const line = active.getLine(active.baseY + row);
    let html = '';
    for (let column = 0; column < terminal.cols; column++) {
      const cell = line?.getCell(column);
      if (cell && cell.getWidth() > 0) html += toHtml(cell, theme);
    }
    // Spaces at the end of a row count only with a background.
    rows.push(html.replace(/(?: |<span style="(?:(?!background)[^"])*"> <\/span>)+$/, ''));
  }
  while (rows.length > 0 && rows.at(-1)!.trim() === '') rows.pop();
  return rows;
}

function toHtml(cell: IBufferCell, theme: PictureTheme): string {
  const { foreground, background: ground } = theme;
  const text = (cell.getChars() || ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  let color = cell.isFgDefault() ? foreground : toColor(cell.getFgColor(), cell.isFgRGB(), theme);
  let background = cell.isBgDefault() ? '' : toColor(cell.getBgColor(), cell.isBgRGB(), theme);
  if (cell.isInverse()) [color, background] = [background || ground, color];
  const styles = [
    color === foreground ? '' : `color:${color}`,
    background === '' ? '' : `background:${background}`,
    cell.isBold() ? 'font-weight:700' : '',
    cell.isDim() ? 'opacity:.6' : '',
    cell.isItalic() ? 'font-style:italic' : '',
    cell.isUnderline() ? 'text-decoration:underline' : '',
  ].filter((style) => style !== '');
  return styles.length === 0 ? text : `<span style="${styles.join(';')}">${text}</span>`;
}

function toColor(value: number, isRgb: boolean, { basic }: PictureTheme): string {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  if (value < 16) return basic[value]!;
  if (value >= 232) return `rgb(${Array.from({ length: 3 }, () => 8 + (value - 232) * 10).join(',')})`;
  const cube = value - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => STEPS[step]).join(',')})`;
}
