/** What a session knows after it has read untrusted content. */
export interface Taint {
  /** The first untrusted content that it read, such as `https://example.com/`. */
  readonly source: string;
  /** True for a child session whose parent passed the content on. Its task can contain private data. */
  readonly isPassed: boolean;
  /** Addresses that the user's prompts or web pages name verbatim, and which of them. */
  readonly addresses: ReadonlyMap<string, AddressOrigin>;
  /** Bits that the choice of addresses has sent since the last prompt, see {@link toChoiceBits}. */
  readonly spentBits: number;
  /** How often each address was requested since the last prompt, the last one last. */
  readonly fetched: ReadonlyMap<string, number>;
  /** Texts of the user. */
  readonly prompts: () => Iterable<string>;
  /** Texts of the web that are in the context. */
  readonly pages: () => Iterable<string>;
}

export type AddressOrigin = 'user' | 'web';

/** Longer addresses are compared as others, but never known. */
const MAX_ADDRESS = 2_000;

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\\^{}|\u0000-\u001f]+/gi;

/** The form in which addresses are compared: as it is sent, without the fragment. Undefined: not http or https. */
export function toAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url.href;
}

/** The addresses in a text, without punctuation that ends a sentence or a bracket. */
export function findAddresses(text: string): string[] {
  const found = (text.match(ADDRESS) ?? []).flatMap((match) => {
    const trimmed = match.replace(/[.,;:!?)\]*_~]+$/, '');
    return match.includes('(') ? [match, trimmed] : [trimmed];
  });
  return [...new Set(found.flatMap((each) => toAddress(each) ?? []))];
}

/**
 * Bits that a request sends to its server by the choice of the address: a code for which the shares of all addresses,
 * 2^-bits, are at most 1 together. The next address of the prompt in its order, and the last one again, such as for the
 * rest of a long page, are a quarter each.
 */
export function toChoiceBits({ addresses, fetched }: Pick<Taint, 'addresses' | 'fetched'>, address: string): number {
  if (address === [...fetched.keys()].at(-1)) return 2;
  for (const [next, origin] of addresses) {
    if (origin !== 'user' || fetched.has(next)) continue;
    if (next === address) return 2;
    break;
  }
  return 1 + Math.ceil(Math.log2(Math.max(1, addresses.size)));
}
