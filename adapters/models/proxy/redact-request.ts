import type { Json } from './proxy-wire.ts';

/** Keys whose values the provider compares or decodes, and which no tool of a program fills. */
const KEPT = new Set(['id', 'type', 'role', 'model', 'tool_use_id', 'tool_call_id', 'call_id', 'signature']);
/** Sealed content of the provider, and images. */
const OPAQUE = new Set(['encrypted_content', 'redacted_thinking', 'image', 'base64', 'input_image', 'image_url']);
/** Characters of texts whose redaction is remembered: every request repeats the history. */
const MAX_REMEMBERED = 32_000_000;
const SHORTEST = 8;

/** Redacts the texts of requests. A text is searched again only after new secrets were learned. */
export class RequestRedactor {
  readonly #known = new Map<string, string>();
  #characters = 0;
  #last: ((text: string) => string) | undefined;

  /** @param redact Another function after secrets were learned. @returns The same value if nothing was found. */
  redact(body: Json, redact: (text: string) => string): Json {
    if (redact !== this.#last) this.#known.clear();
    this.#last = redact;
    return this.#walk(body, redact) as Json;
  }

  #walk(value: unknown, redact: (text: string) => string): unknown {
    if (typeof value === 'string') return value.length < SHORTEST ? value : this.#text(value, redact);
    if (Array.isArray(value)) {
      // Signed reasoning cannot be changed: it is left out.
      const items = value
        .map((item) => ({ item, clean: this.#walk(item, redact) }))
        .filter(({ item, clean }) => clean === item || (item as Json)['type'] !== 'thinking')
        .map(({ clean }) => clean);
      return items.length !== value.length || items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (OPAQUE.has(String((value as Json)['type']))) return value;
    let isChanged = false;
    const entries = Object.entries(value).map(([key, item]) => {
      const clean = KEPT.has(key) || OPAQUE.has(key) ? item : this.#walk(item, redact);
      isChanged ||= clean !== item;
      return [key, clean] as const;
    });
    return isChanged ? Object.fromEntries(entries) : value;
  }

  #text(text: string, redact: (text: string) => string): string {
    let clean = this.#known.get(text);
    if (clean !== undefined) return clean;
    clean = redact(text);
    this.#characters += text.length;
    if (this.#characters > MAX_REMEMBERED) {
      this.#known.clear();
      this.#characters = text.length;
    }
    this.#known.set(text, clean);
    return clean;
  }
}
