import { expect, test } from 'vitest';
import { toSafeSvg } from './safe-svg.ts';

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${content}</svg>`;

test('a diagram stays as it is', () => {
  const text = svg('<style>.a{fill:url(#b)}</style><g class="a" style="color: red"><text x="1">a &lt; b</text></g>');
  expect(toSafeSvg(text)).toBe(text);
});

test.each([
  ['<script>x</script><g></g>', '<g></g>'],
  ['<g onload="x"></g>', '<g></g>'],
  ['<a href="javascript:x"><text>t</text></a><g></g>', '<g></g>'],
  ['<image href="https://example.org/x"></image><g></g>', '<g></g>'],
  ['<use href="https://example.org/x#a"></use>', '<use></use>'],
  ['<use href="#a"></use>', '<use href="#a"></use>'],
  ['<g fill="url(https://example.org/x)"></g>', '<g fill="none"></g>'],
  [String.raw`<g fill="u\rl(https://example.org/x)"></g>`, '<g fill="none"></g>'],
  ['<style>@import "https://example.org/x";.a{}</style>', '<style>.a{}</style>'],
  ['<foreignObject><iframe src="x"></iframe><p>t</p></foreignObject>', '<foreignObject><p>t</p></foreignObject>'],
])('of %s only the safe parts are kept', (content, kept) => {
  expect(toSafeSvg(svg(content))).toBe(svg(kept));
});

test.each(['<html></html>', '<svg>', 'text', '<svg></svg><svg></svg>', '<!DOCTYPE svg [<!ENTITY a "b">]><svg></svg>'])(
  '%s is no picture',
  (text) => {
    expect(toSafeSvg(text)).toBe(undefined);
  },
);
