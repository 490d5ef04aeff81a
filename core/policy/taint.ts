/** What a session knows after it has read untrusted content. */
export interface Taint {
  /** The first untrusted content that it read, such as `https://example.com/`. */
  readonly source: string;
  /** True for a child session whose parent passed the content on. Its task can contain private data. */
  readonly isPassed: boolean;
  /** Addresses that the user's prompts or web pages name verbatim, and which of them. */
  readonly addresses: ReadonlyMap<string, AddressOrigin>;
  /** Bits that the choice of links has sent, see {@link toLinkBits}. */
  readonly spentBits: number;
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

/** Bits that a request for one of these links sends to its server. At least 1. */
export function toLinkBits(addresses: ReadonlyMap<string, AddressOrigin>): number {
  let links = 0;
  for (const origin of addresses.values()) if (origin === 'web') links++;
  return Math.max(1, Math.ceil(Math.log2(Math.max(1, links))));
}
