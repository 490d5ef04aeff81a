import { type Event, eventSchema } from '@klaus/sdk';
import { type Ended, runKlaus, startServer } from '../../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../../fixtures/test-home.ts';

/**
 * A row about a name or a file only, which `guides.test.ts` compares with the program; the test that runs what the row
 * says; or a run.
 */
export type Check = 'names' | `test/${string}` | `scripts/${string}` | (() => Promise<void>);

/** By the left column of a row. */
export type Checks = Readonly<Record<string, Check>>;

/** A row of `klaus config --json`. */
export interface SettingRow {
  key: string;
  value: string;
  /** Such as `default` and `environment`. */
  source: string;
}

/** The program in a place of its own, with a model that answers one sentence. */
export interface Scene extends AsyncDisposable {
  readonly place: TestHome;
  readonly model: Awaited<ReturnType<typeof startServer>>;
  /** Runs a command to its end. */
  klaus(words: readonly string[], more?: { lines?: readonly string[]; env?: Record<string, string> }): Promise<Ended>;
  setting(key: string, env?: Record<string, string>): Promise<SettingRow | undefined>;
  eventsOf(id: string): Promise<Event[]>;
}

export async function createScene(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const place = createTestHome(files);
  const model = await startServer({ steps: [], fallback: { text: 'A sentence.' } });
  const klaus: Scene['klaus'] = (words, { lines, env } = {}) =>
    runKlaus(words, {
      place,
      server: model,
      ...(env ? { env } : {}),
      ...(lines ? { stdin: lines.map((line) => `${line}\n`).join('') } : {}),
    });
  return {
    place,
    model,
    klaus,
    async setting(key, env) {
      const { stdout } = await klaus(['config', '--json'], env ? { env } : {});
      return (JSON.parse(stdout) as SettingRow[]).find((row) => row.key === key);
    },
    async eventsOf(id) {
      const { stdout } = await klaus(['show', id, '--json']);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => eventSchema.parse(JSON.parse(line)));
    },
    async [Symbol.asyncDispose]() {
      await model.close();
      place[Symbol.dispose]();
    },
  };
}

export const toAgent = (name: string, head = ''): string =>
  `---\nname: ${name}\ndescription: Talks.\n${head}---\n\nYou talk.\n`;
