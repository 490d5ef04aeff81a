// Covers apps/terminal, apps/cli/chat: a session in the interactive terminal, as a user sees it at three widths.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { focusQuestion, openChatPlace, toStable, untilIdle } from './open-chat.ts';
import { FILES, STORY, SUM } from './story-script.ts';
import { splitCases } from '../fixtures/split-cases.ts';

for (const { cases, tags } of splitCases([40, 80, 200], 1))
  test.runIf(hasScript).each(cases)(
    'a prompt, tools, a review by hunk and the end, in %i columns',
    { tags },
    async (columns) => {
      await using chat = await openChatPlace({ script: STORY, files: FILES, columns });
      const terminal = await chat.open();
      const screens: Record<string, string> = { start: terminal.screen() };
      terminal.type('fix the sum 漢字 e\u0301\r');
      screens['question'] = await focusQuestion(terminal);
      terminal.type('h');
      screens['hunk'] = await terminal.shows('Hunk 1 of 2');
      terminal.type('y');
      await terminal.shows('Hunk 2 of 2');
      terminal.type('c');
      screens['comment'] = await terminal.shows('Comment on this hunk');
      terminal.type('zero stays\r');
      await terminal.shows('sum.js:22: zero stays');
      terminal.type('n');
      await terminal.shows('Fixed: it adds now.');
      await untilIdle(terminal);
      screens['end'] = terminal.all();
      terminal.type(KEYS.ctrlD);
      expect(await terminal.ended).toBe(0);
      expect(terminal.left()).toEqual(CLEAN);
      // Nothing that the user had on the screen before is erased.
      expect(terminal.output).not.toContain('\u001b[2J');
      expect(terminal.output).not.toContain('\u001b[3J');

      expect(readFileSync(join(chat.place.workspace, 'sum.js'), 'utf8')).toBe(SUM.replace('a - b', 'a + b'));
      const events = await chat.events();
      expect(events.find(({ type }) => type === 'approval.answered')).toMatchObject({
        answer: 'approved',
        note: 'sum.js:22: zero stays',
      });
      expect(terminal.screen()).toContain(`Session ${events[0]!.session}`.slice(0, 35));
      for (const [name, screen] of Object.entries(screens))
        await expect(`${toStable(screen, events)}\n`).toMatchFileSnapshot(`screens/${name}-${columns}.txt`);
    },
  );
