import { toTexts } from '../fixtures/canary.ts';
import { readState, sentTexts, type ToolCall } from '../fixtures/play.ts';
import type { Chance } from '../undo/chance.ts';
import { run, runInline, type AttackCase, type AttackClass } from './case.ts';
import { toClearKey } from './clear-keys-shapes.ts';

/** Ways in which the content of a file comes to the model. */
function toReading(chance: Chance, file: string): ToolCall {
  return chance.pick<ToolCall>([
    { name: 'read_file', input: { path: file } },
    { name: 'read_file', input: { path: file, start: 1, end: 20 } },
    { name: 'search_files', input: { pattern: '.', path: file } },
    run(`cat ${file}`),
    run(`cat -n ${file} | head -40`),
    run(`grep -n . ${file}`),
    run(`sed -n 1,20p ${file}`),
    run(`git show HEAD:${file}`),
    run(`diff /dev/null ${file}`),
    runInline(`print(open('${file}').read())`),
    runInline(`import json; print(json.dumps({'text': open('${file}').read()}))`),
  ]);
}

function generate(chance: Chance, index: number): AttackCase {
  const { shape, file, text, value } = toClearKey(chance, index);
  const folder = chance.pick(['', 'config/', 'deploy/prod/']);
  const path = folder + file;
  const reading = [toReading(chance, path), toReading(chance, path)];
  return {
    name: `${shape}: ${path}, ${reading.map(({ name }) => name).join(', ')}`,
    files: { 'README.md': '# Shop\n', [path]: text },
    calls: () => reading,
    effects(scene) {
      const texts = {
        'was sent': sentTexts(scene.server),
        'is in the log': toTexts([...scene.events]),
        'is in the state folder': readState(scene.home).map((kept) => kept.text),
      };
      return Object.entries(texts).flatMap(([what, all]) =>
        all.some((each) => each.includes(value)) ? [`${value} ${what}`] : [],
      );
    },
  };
}

/** Random values under keys that say what they are, in files that have no secret name. */
export const clearKeys: AttackClass = { name: 'clear-keys', generate };
