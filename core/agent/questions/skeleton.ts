/**
 * Letters of other alphabets that look like Latin ones, in lower case and without accents.
 *
 * @source Unicode Technical Standard 39, confusables.txt: the letters of Cyrillic, Greek, Armenian and Latin extensions.
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'ьвβƅ',
  c: 'сϲƈ',
  d: 'ԁɗđ',
  e: 'еєεɛ',
  g: 'ɡցԍ',
  h: 'һհн',
  i: 'іıιɩӏ',
  j: 'јϳ',
  k: 'кκᴋ',
  l: 'ⅼłƚ',
  m: 'мⅿ',
  n: 'ոռη',
  o: 'оοσօøө',
  p: 'рρ',
  q: 'ԛզ',
  r: 'гᴦɼ',
  s: 'ѕꜱʂ',
  t: 'тτ',
  u: 'υսʋц',
  v: 'ѵνⅴ',
  w: 'ԝωѡшɯ',
  x: 'хχ',
  y: 'уγүʏ',
  z: 'ᴢʐ',
};
const LATIN = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);
/** Between letters, not shown: formats, variation selectors, fillers, accents. */
const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** One word that is spelled with gaps: `p a s s`. */
const SPACED = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][\s._*-]{1,3}){3,40}[\p{L}\p{N}](?![\p{L}\p{N}])/gu;

/** A form in which texts that look the same are equal: for comparisons, never shown. */
export function toSkeleton(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(UNSEEN, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  return plain
    .replaceAll(/\P{ASCII}/gu, (letter) => LATIN.get(letter) ?? letter)
    .replaceAll(SPACED, (word) => word.replaceAll(/[\s._*-]/g, ''));
}
