// Covers apps/terminal/screen, apps/terminal/view, apps/terminal/session: the bytes that the terminal gets.
import type { Event } from '@klaus/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { InlineScreen, PromptEditor, setCapabilities, type Component } from '../../apps/terminal/screen/index.ts';
import { addEvent, addLive, createSessionView } from '../../apps/terminal/session/session-view.ts';
import { toEntryLines } from '../../apps/terminal/view/entry-lines.ts';
import { Transcript } from '../../apps/terminal/view/transcript.ts';
import { createViewStyle } from '../../apps/terminal/view/view-style.ts';
import { toActingTexts } from '../fixtures/acting-texts.ts';
import { toRandomEvents } from '../fixtures/random-events.ts';

/** Before each text that acts, and shown as it is. */
const MARK = '§';
const TEXTS = toActingTexts().map((text) => text.replace(/^<\d+>/, MARK).replaceAll(/[\u0085\r]/g, '\u001b'));
/** What the renderer itself writes. */
const OWN =
  /\u001b\[\?(?:2026|7|1004|2004|1049|25)[hl]|\u001b\[\d*[ABCGJKH]|\u001b\[\d+;\d+H|\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u0007|\u001b\[16t|\u001b_G[\w=,;+/]*\u001b\\|\u001b\]1337;File=[\w=;:+/]*\u0007|[\r\n]/g;
/** What the renderer writes too, but here from a text. */
const MARKED = /§\u001b(?:\[(?:8m|38;5;1m|[23]J|\?1049h|\?25l|1;1H|1A)|\]8;;h)/g;
const ACTING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const REPEATS = 12;

afterEach(() => setCapabilities({ images: null, trueColor: true, hyperlinks: false }));

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A screen, and everything that it has written. */
function openScreen(columns = 90) {
  let written = '';
  const nothing = (): void => {};
  const terminal = {
    ...{ columns, rows: 40, kittyProtocolActive: false, start: nothing, stop: nothing, moveBy: nothing },
    ...{ hideCursor: nothing, showCursor: nothing, clearLine: nothing, clearFromCursor: nothing },
    ...{ clearScreen: nothing, setTitle: nothing, setProgress: nothing, drainInput: () => Promise.resolve() },
    write: (text: string) => void (written += text),
  };
  const screen = new InlineScreen(terminal, { reflows: 'all', settleMs: 0 });
  return {
    screen,
    show(component: Component): string {
      screen.addChild(component);
      screen.start();
      screen.renderNow();
      screen.stop();
      return written;
    },
  };
}

function findEffects(written: string): string[] {
  const marked = [...written.matchAll(MARKED)].map(({ index }) => written.slice(index, index + 30));
  const rest = written.replaceAll(OWN, '');
  const at = rest.search(ACTING);
  return [...marked, ...(at < 0 ? [] : [rest.slice(Math.max(0, at - 30), at + 20)])].map((text) =>
    JSON.stringify(text),
  );
}

function toLines(lines: readonly string[]): Component {
  return { render: () => [...lines], invalidate: () => {} };
}

describe('no field of an event acts on the terminal', () => {
  test.each([
    ['without links', false],
    ['with links', true],
  ] as const)('%s', (_, hyperlinks) => {
    const style = createViewStyle('dark');
    const types = new Set<string>();
    const shown = new Set<string>();
    /** An event that the conversation refuses shows nothing. */
    const refused = new Set<string>();
    for (let seed = 1; seed <= REPEATS; seed++) {
      const random = createRandom(seed);
      setCapabilities({
        images: seed % 3 === 0 ? 'kitty' : seed % 3 === 1 ? 'iterm2' : null,
        trueColor: true,
        hyperlinks,
      });
      const view = createSessionView('session');
      let seq = 0;
      for (let round = 0; round < 3; round++)
        for (const event of toRandomEvents(TEXTS, random)) {
          types.add(String(event['type']));
          try {
            addEvent(view, { ...event, seq: ++seq, at: seq } as unknown as Event);
          } catch {
            refused.add(String(event['type']));
          }
        }
      for (const part of ['thinking', 'text'] as const) {
        const [message, text] = [TEXTS[seed]!, TEXTS[seed * 2]!];
        addLive(view, { type: 'message.delta', session: 's', message, part, offset: 0, text });
      }
      for (const entry of view.conversation.entries) shown.add(entry.kind);
      const opened = openScreen();
      const transcript = new Transcript(opened.screen, { style, now: () => 1, view });
      const all = view.conversation.entries.flatMap((_, at, entries) =>
        toEntryLines(entries, at, {
          ...{ width: 90, style, now: 0, spinner: '', output: TEXTS[seed]!, isExpanded: seed % 2 === 0 },
          isInterrupted: false,
        }),
      );
      expect(findEffects(opened.show(transcript)).slice(0, 3)).toEqual([]);
      expect(findEffects(openScreen().show(toLines(all))).slice(0, 3)).toEqual([]);
    }
    expect(types.size).toBeGreaterThan(20);
    expect([...refused]).toEqual([]);
    expect([...shown].toSorted()).toEqual(expect.arrayContaining(['call', 'fact', 'model', 'user']));
  });
});

test('links of an answer and images of a message are written', () => {
  setCapabilities({ images: 'kitty', trueColor: true, hyperlinks: true });
  const style = createViewStyle('none');
  const options = { ...{ width: 60, style, now: 0, spinner: '', output: '' }, isExpanded: true, isInterrupted: false };
  const base = { id: 'a', seq: 1, at: 0, turn: 1 };
  const text = `see [this](https://localhost/a?b=1) and ${'more words '.repeat(9)}`;
  const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
  const lines = [
    ...toEntryLines([{ ...base, kind: 'model', text, thinking: '' }], 0, options),
    ...toEntryLines([{ ...base, kind: 'user', text, steered: false, files: [], images: [image] } as never], 0, options),
  ];
  const written = openScreen().show(toLines(lines));
  expect(written).toContain('\u001b]8;;https://localhost/a?b=1\u0007this\u001b]8;;\u0007');
  expect(written).toMatch(/\u001b_G[^\u001b]*iVBORw0KGgo=\u001b\\/);
});

describe('a view that forgets to make a text safe', () => {
  const forged = TEXTS.filter((text) => !/\u001b\[(?:38;5;1)m/.test(text));

  test('writes it as text, in a frame, as a finished line and on the full screen', () => {
    for (const text of forged) {
      const lines = text.split('\n');
      expect(findEffects(openScreen().show(toLines(lines)))).toEqual([]);
      const finished = openScreen();
      finished.screen.finish(lines);
      expect(findEffects(finished.show(toLines([])))).toEqual([]);
    }
    const full = openScreen();
    full.screen.start();
    full.screen.openFull(toLines(forged.slice(0, 30)));
    full.screen.renderNow();
    expect(findEffects(full.show(toLines([])))).toEqual([]);
  });

  test('keeps its own colours, and the row has the width of the window', () => {
    const written = openScreen(20).show(toLines([`\u001b[1;38;5;80mabc\u001b[22;39m${'\u001b]0;x'.repeat(9)}`]));
    expect(written).toContain('\u001b[1;38;5;80mabc\u001b[22;39m<1b>]0;x<1b>]0;x<');
    expect(written).not.toContain('<1b>]0;x<1b>]0;x<1b>');
  });

  test('cannot move the cursor with a mark of another line', () => {
    const mark = '\u001b_pi:c\u0007';
    const written = openScreen().show(toLines([`ab${mark}c`, `de${mark}f${mark}`]));
    expect(written).toContain('\u001b[3G');
    expect(written.replaceAll(OWN, '')).toBe('abcdef');
  });
});

test('a paste that reorders text is shown without its marks', () => {
  const plain = (text: string): string => text;
  const selectList = {
    ...{ selectedPrefix: plain, selectedText: plain, description: plain },
    scrollInfo: plain,
    noMatch: plain,
  };
  const { screen } = openScreen();
  const editor = new PromptEditor(screen, { borderColor: plain, selectList });
  editor.handleInput('\u001b[200~a\u202eb\u061c\u2066c\r\nd\re\u001b]0;x\u0007\u001b[201~');
  expect(editor.getText()).toBe('abc\nd\ne]0;x');
  editor.handleInput('\u001b[200~é 👩‍💻\u001b[201~');
  expect(editor.getText()).toBe('abc\nd\ne]0;xé 👩‍💻');
});
