import { holds } from '../scope/anchors.ts';
import type { Rename } from './find-rename.ts';
import { STYLE_KINDS, type StyleKind } from './style-kind.ts';

/** "Format the price" is no style; "format the file", "formatting" and "reformat" are. */
const FORMAT =
  'formatting|formatter|reformat\\w*|format (?:the |this |all |our )?(?:whole |complete )?(?:files?|code|repo\\w*|project|sources?|src|everything|all|module|folder|directory|\\S+\\.\\w+\\b|with\\b|it\\b)';

/** Words of a request that may ask for a change of this kind. */
const MAY_ASK: Readonly<Record<StyleKind, RegExp>> = {
  layout: new RegExp(
    `\\b(?:${FORMAT}|format\\w*|(?:re-?)?indent\\w*|whitespaces?|tabs?\\b|spaces\\b|prettier|black|gofmt|rustfmt|line[- ](?:length|breaks?)|wrap\\w*|reflow|blank lines?|spacing|align\\w*|columns?|width|long lines?|newlines?|(?:one|single|multi)[- ]?lines?|split\\w*)`,
    'i',
  ),
  quotes: /\bquot\w+/i,
  commas: /\bcommas?\b/i,
  semicolons: /\bsemi-?colons?\b/i,
  comments:
    /\b(?:comment\w*|doc-?strings?|document\w*|jsdoc|tsdoc|javadoc|godoc|docs?\b|explain\w*|typos?|spelling|wording|licen[cs]es?|headers?|todos?|annotat\w+)/i,
  keywords: /\b(?:const|let|var)\b/i,
  types: /\b(?:types?|typing|annotations?|pep ?(?:585|604)|moderni[sz]\w*|optional|generics?)\b/i,
  parentheses: /\b(?:paren\w*|arrow\w*)\b/i,
  imports: /\bimports?\b|\bisort\b/i,
  names:
    /\b(?:renam\w*|nam(?:e|es|ing)\b|call(?:ed)? it|typos?|spell\w*|camel ?case|snake[_ ]?case|pascal ?case|prefix\w*|suffix\w*|identifiers?|variables?)\b/i,
};

/** Words of a request that certainly do. */
const ASKS: Readonly<Record<Exclude<StyleKind, 'names'>, RegExp>> = {
  layout: new RegExp(
    `\\b(?:${FORMAT}|(?:re-?)?indent(?:ation)?\\b|whitespaces?|prettier|black|gofmt|rustfmt|line length|blank lines?|spaces (?:instead of|to) tabs|tabs (?:instead of|to) spaces)`,
    'i',
  ),
  quotes: /\b(?:single|double|consistent)[- ]quot\w+|\bquot(?:e style|es)\b/i,
  commas: /\btrailing commas?\b/i,
  semicolons: /\bsemi-?colons\b/i,
  comments:
    /\b(?:comments?|doc-?strings?|jsdoc|tsdoc|javadoc|godoc|document (?:the|every|each|all|this)|license header)\b/i,
  keywords: /\b(?:const|var)\b|`let`/i,
  types: /\btype (?:annotation|hint|notation|syntax)s?\b|\bpep ?(?:585|604)\b|`Optional|`List|`Array<|\[\]`/i,
  parentheses: /\barrow (?:function )?paren\w*|\bparentheses\b/i,
  imports:
    /\b(?:sort|order|reorder|organi[sz]e|group|isort|alphabeti[sz]e)\b[^.\n]{0,30}\bimports?\b|\bimports?\b[^.\n]{0,30}\b(?:sort\w*|order\w*|group\w*|alphabet\w*)|\bisort\b/i,
};

/** Asks for style in general, of any kind but names and comments. */
const GENERAL = new RegExp(
  `\\b(?:${FORMAT}|lint\\w*|eslint|biome|oxlint|ruff|prettier|black|gofmt|code style|style ?guide|styling|coding (?:style|standards?)|conventions?|consisten\\w+|clean(?:ing)? ?up|cleanup|tidy|pre-commit|checkstyle|rubocop|pep ?8|airbnb|standard ?js)\\b`,
  'i',
);

/** Work that rewrites code as its purpose. */
const REWRITES =
  /\b(?:refactor\w*|rewrit\w*|simplif\w*|moderni[sz]\w*|migrat\w*|convert\w*|port(?:ed|ing)? (?:it|this|the \w+ )?\s?(?:to|from)|upgrad\w*|improv\w*|polish\w*|readab\w*)\b/i;

const NEGATION = /\b(?:do not|don['’]?t|without|never|not|no|avoid|leave|keep|preserv\w*|unchanged)\b[^.;\n]{0,60}$/i;

/** How a request relates to changes of style. */
export interface RequestedStyle {
  /** Asked for by name. */
  kinds: ReadonlySet<StyleKind>;
  /** Possibly asked for. */
  possible: ReadonlySet<StyleKind>;
  /** Style in general was asked for. */
  isGeneral: boolean;
  /** The request may imply style changes of any kind: nothing is certain. */
  isOpen: boolean;
}

export function readRequestedStyle(request: readonly string[]): RequestedStyle {
  const text = request.join('\n');
  return {
    kinds: new Set(STYLE_KINDS.filter((kind) => kind !== 'names' && asks(text, ASKS[kind]))),
    possible: new Set(STYLE_KINDS.filter((kind) => asks(text, MAY_ASK[kind]))),
    isGeneral: asks(text, GENERAL),
    isOpen: asks(text, REWRITES),
  };
}

/** True if the words occur, and one of them is not negated. */
function asks(text: string, words: RegExp): boolean {
  for (const found of text.matchAll(new RegExp(words.source, 'gi'))) {
    const before = text.slice(Math.max(0, found.index - 80), found.index);
    if (!NEGATION.test(before)) return true;
  }
  return false;
}

/** True if the request names one side of a rename. */
export function mentionsRename(request: readonly string[], { from, to }: Rename): boolean {
  const text = request.join('\n');
  return holds(text, from) || holds(text, to);
}
