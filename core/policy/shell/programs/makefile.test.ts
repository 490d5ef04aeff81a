import { expect, test } from 'vitest';
import { UNKNOWN } from '../expansion/word.ts';
import { toRecipes } from './makefile.ts';

const TEXT = `
OUT := build
FLAGS = -v $(MORE)
all: lib test

lib: ; mkdir -p $(OUT)
test: lib
\t@npm test -- $(FLAGS)
clean:
\trm -rf $(OUT)/
deploy:
\tcurl https://example.com
`;

const none = new Map<string, string>();

test('only recipes of the goals and what they need run', () => {
  expect(toRecipes(TEXT, ['test'], none)).toEqual(['mkdir -p build', `npm test -- -v ${UNKNOWN}`]);
  expect(toRecipes(TEXT, [], none)).toEqual(['mkdir -p build', `npm test -- -v ${UNKNOWN}`]);
});

test('variables have their values, also those of the command line', () => {
  expect(toRecipes(TEXT, ['clean'], none)).toEqual(['rm -rf build/']);
  expect(toRecipes(TEXT, ['clean'], new Map([['OUT', '/']]))).toEqual(['rm -rf //']);
});

test('where rules can come from elsewhere, every recipe counts', () => {
  expect(toRecipes(`include more.mk\n${TEXT}`, ['test'], none)).toContain('curl https://example.com');
});

test('a pattern counts for every goal, and a lone dollar belongs to the shell', () => {
  expect(toRecipes('%.o: %.c\n\tcc $< && echo $$HOME\n', ['a.o'], none)).toEqual(['cc %.c && echo $HOME']);
});
