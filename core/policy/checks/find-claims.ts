import { headOf, tailOf } from '../../protocol/text/cut-text.ts';
import type { Claim } from '../../protocol/index.ts';

export interface FoundClaim {
  /** The words, at most 200 characters. */
  said: string;
  kind: Claim['kind'];
  /** True for a claim about all tests or all of a check, false for a part. */
  isComplete: boolean;
  /** The claimed number of passed tests. */
  count?: number;
}

const LONGEST_SAID = 200;
const LONGEST_TEXT = 50_000;
const MOST = 8;

/** The subjects of claims, with their words in several languages. */
const SUBJECTS: readonly { kind: Claim['kind']; words: RegExp }[] = [
  {
    kind: 'test',
    words:
      /\b(?:tests?|test[- ]?suites?|specs?|pytest|jest|vitest|mocha|testes|tests?uite|pruebas|assertions?)\b|(?:unit|integrations?)-?tests?\b|тест|测试|測試|テスト|테스트/iu,
  },
  {
    kind: 'types',
    words:
      /\btype-?\s?check\w*|\btsc\b|\btypes?\b(?! of\b)|\btype errors?\b|\bmypy\b|\bpyright\b|\btypfehler|\btypage\b|типизац|类型检查|型チェック/iu,
  },
  { kind: 'lint', words: /\blint(?:s|er|ing|-clean)?\b|\beslint\b|\bruff\b|\bflake8\b|\boxlint\b|\bclippy\b|линтер/iu },
  { kind: 'format', words: /\bformatting (?:check|is)\b|\bprettier\b|\bformat check\b/iu },
  {
    kind: 'build',
    words:
      /\bbuil(?:d|ds|t)\b|\bcompil(?:es?|ed|ation|iert)\b|\bбилд|сборк|компилиру|\bcompila\b|\bkompiliert\b|构建|编译|ビルド/iu,
  },
];

const GOOD =
  /\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|clean(?:ly)?|ok(?:ay)?|fine|works?|working|worked|satisfied|happy|0 (?:failed|failures|failing|errors?|issues|problems|fail)|no (?:\w+ )?(?:errors?|failures?|issues|problems|warnings|complaints)|zero (?:errors|failures)|without (?:any )?(?:errors?|failures?|issues|problems)|exit(?:s|ed)?(?: with)?(?: code| status)? 0|100 ?%|compiles|builds|type-?checks|lints|laufen(?: alle)? durch|erfolgreich|bestanden|bestehen|grün|fehlerfrei|passent|passe|réussi\w*|succès|vert\w*|pasan|pasa|pasaron|exitosa\w*|éxito|passam|passaram|passou|sucesso|passano|superat\w+|passati|riuscit\w+|slagen|geslaagd|groen|kompiliert|przechodz\w+)\b|[✓✔✅]|проход|успешн|зел[её]н|пройден|通过|通過|成功|全绿|パス|合格|통과|성공/iu;

/** Words for success without a named check. */
const WORKS =
  /\b(?:everything|all|it|this|that|the (?:fix|change|code|feature|bug|function|app|script|implementation)|which)\b[^.!?]{0,40}?\b(?:now )?(?:works?|is working|work (?:as expected|correctly|properly))\b(?! (?:by|like|as follows|around|the same|because|how|through)\b)|\b(?:i|i've|i have|we|fully|was|been|is|are)\s(?:\w+ )?(?:verified|confirmed|validated)\b|^\s*(?:verified|confirmed|validated)\b|\b(?:verified|confirmed|tested) (?:that|the|it|and|by|everything|working|to work|successfully)|\ball (?:checks|green|good)\b|\bchecks? (?:all )?pass|\b(?:ci|pipeline) (?:is|passes|pass(?:ed)?|green)|\ball checks? (?:are )?(?:pass|green|succe)|\b(?:alles|es) (?:funktioniert|läuft)|\btout fonctionne|\btodo funciona|\btutto funziona|\btudo funciona|всё работает|все работает|一切正常|正常工作|動作確認/iu;

/** Words for failure or partial success. */
const BAD =
  /\b(?:fail(?:s|ed|ing|ures?)?|broken|red|errors?|not|never|cannot|can't|couldn't|doesn't|don't|didn't|isn't|aren't|wasn't|weren't|won't|haven't|hasn't|unable|except|but one|without (?:running|tests?|having|verif|check)|nicht|kein\w*|fehlgeschlagen|fehlschl\w+|échou\w+|ne .{0,20} pas|sans|no pas\w+|fall\w+|sin|non|não|niet|geen)\b|n’t\b|провал|не\s|没有|未|失败|失敗|ません|実패/iu;

/** Phrases in which a word for failure means success. */
const GOOD_NEGATIONS =
  /\b(?:no(?: more| longer any| remaining)?|0|zero|without(?: any)?|not a single|none|nothing|never|ohne|keine?|sans|sin|senza|sem|zonder|aucune?) (?:\w+ ){0,2}?(?:fail\w*|errors?|failures?|issues?|problems?|regressions?|fehler\w*|erreurs?|errores|errori|erros|fouten|échecs?|broken)\b|\b(?:errors?|failures?|failed|failing|fail|issues|problems): ?0\b|\b(?:previously|formerly|once|the|that|this|originally|zuvor) (?:\w+ )?(?:failing|broken|red|failed)\b|\bfail(?:ed|ing|s)? (?:before|earlier|at first|previously)\b|\bno longer (?:fails?|failing|broken|errors?)\b|\bnot only\b|(?:没有|無|无)(?:错误|錯誤|失败|问题)|без ошибок|0 (?:failed|失败)/giu;

/** Requests, conditions, plans, questions and reports of others are not claims. */
const OPEN =
  /\b(?:if|unless|until|once|when(?:ever)?|before|whether|make sure|ensure|let me|i'll|i will|i would|we'll|will (?:need|have|run|check|verify|try)|would|could|might|may|please|to (?:see|check|verify|confirm|make|get|ensure)|need(?:s|ed)? to|must|so that|in order|expect(?:ed)? to|try(?:ing)? to|next,? |you (?:can|could|should|asked|want|said)|asks?(?:ed)? (?:that|for|to)|wenn|falls|damit|bevor|sollte[nst]*|muss|si |avant|pour que|devrait|antes|para que|debería|se |affinché|должн|чтобы|если|如果|应该|確認して)\b|\?\s*$/iu;
const HEDGED = /\bshould(?: now| all)*\b(?! (?:you|i|we)\b)/iu;
/** Admissions that nothing was checked. */
const ADMITS =
  /\b(?:(?:not|never|n't|unable to|without|couldn't|could not|cannot|can't|haven't|hasn't|did not|didn't|wasn't|were not|yet to)\b[^.!?]{0,40}\b(?:r[au]n(?:ning)?|execut\w+|verif\w+|check\w*|test(?:ed|ing)?|confirm\w*|try|tried|validat\w+)|unverified|untested|not (?:yet )?(?:run|verified|tested|checked))\b/iu;

const ALL =
  /\b(?:all|every|whole|entire|full|complete(?:ly)?|everything|suite|alle|alles|ganze|gesamte|tous|toutes|tout|todas?|todos?|tutti|tutte|wszystkie)\b|все|所有|全部|すべて|全て|모든/iu;
/** One test, or some named tests, not all of them. */
const PART =
  /\b(?:the|this|that|a|an|its|one|new|both|two|three|added|failing|regression|my) (?:\w+[- ]){0,2}?(?:test|spec|test case|case)\b(?!s)|\b(?:new|added|related|relevant|affected|these|those|both|my|targeted|the \w+\.(?:test|spec)) (?:\w+ ){0,2}?tests?\b|[\w/-]+\.(?:test|spec)\.\w+|\btest_\w+|\bonly the\b/iu;

/**
 * One of these is in every text that claims something, or a letter beyond ASCII. Tested first: the expressions
 * above take ten milliseconds to compile, and most texts contain no claim.
 */
const STEMS =
  /test|spec|jest|mocha|prueba|assert|typ|tsc|mypy|pyright|lint|ruff|flake8|clippy|format|prettier|buil|compil|kompil|pass|work|verified|confirmed|validated|green|good|check|\bci\b|pipeline|funktion|fonction|funcion|funzion|[^\x00-\x7f]/i;

/**
 * The successes that the last message of a model claims: that tests, types, lint or a build succeed, or that something
 * was observed to work. A report of an action ("I renamed it") is not a claim. English, with common words of other
 * languages.
 */
export function findClaims(text: string): FoundClaim[] {
  if (!STEMS.test(text)) return [];
  const found: FoundClaim[] = [];
  const plain = toPlain(text);
  const admits = ADMITS.test(plain);
  for (const sentence of toSentences(plain)) {
    if (found.length >= MOST) break;
    for (const claim of readSentence(sentence, admits)) {
      if (!found.some((known) => known.said === claim.said && known.kind === claim.kind)) found.push(claim);
    }
  }
  return found;
}

function readSentence(sentence: string, admits: boolean): FoundClaim[] {
  if (sentence.length < 3 || OPEN.test(sentence)) return [];
  const isHedged = HEDGED.test(sentence);
  if (isHedged && admits) return [];
  const bare = sentence.replace(GOOD_NEGATIONS, ' no errors ').replace(/\bno errors\b/g, ' ✓ ');
  const kinds = SUBJECTS.filter(({ words }) => words.test(sentence)).map(({ kind }) => kind);
  const isGood = GOOD.test(sentence) || GOOD.test(bare);
  if (BAD.test(bare) && !/^\W*(?:fixed|mended|solved)\b/iu.test(sentence)) return [];
  const said = headOf(sentence.trim(), LONGEST_SAID);
  if (kinds.length > 0 && isGood) return kinds.map((kind) => toClaim(said, kind));
  const counted = /\b(\d+)(?:\s*\/\s*(\d+)| of (\d+))? (?:\w+ )?pass(?:ed|es|ing)?\b/iu.exec(sentence);
  if (counted) return [toClaim(said, 'test')];
  if (WORKS.test(sentence)) return [{ said, kind: 'any', isComplete: true }];
  return [];
}

function toClaim(said: string, kind: Claim['kind']): FoundClaim {
  const number =
    /\b(\d{1,6})(?:\s*(?:\/|of|out of)\s*\d+)?\s+(?:\w+\s+){0,3}?(?:tests?\b[^.]{0,20}?\b)?(?:pass|green|succe)/iu.exec(
      said,
    )?.[1];
  const isComplete = ALL.test(said) || !PART.test(said);
  return { said, kind, isComplete, ...(number !== undefined && kind === 'test' ? { count: Number(number) } : {}) };
}

/** The text without code blocks, quotes and links, which claim nothing. Words in backticks are kept. */
function toPlain(text: string): string {
  return tailOf(text, LONGEST_TEXT)
    .replace(/^(```|~~~)[^]*?^\1\s*$/gm, '\n')
    .replace(/^\s*>.*$/gm, '')
    .replace(/[*_]{1,3}(\S[^*_\n]*?\S|\S)[*_]{1,3}/g, '$1')
    .replaceAll('`', '')
    .replaceAll('’', "'");
}

function toSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|(?<=[。！？])|\n+|;\s+|\s+[—–]\s+|,\s+(?:but|and so|aber|mais|pero)\s+/u)
    .filter((part) => part.trim() !== '');
}
