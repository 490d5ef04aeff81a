import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { parse } from 'yaml';
import { z } from 'zod';

const ENCODERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  'deflate-raw': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

/** `state`: what the provider wants back with the part. Absent: it is not compared. */
const partSchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ thinking: z.string(), state: z.unknown().optional() }),
  // Without an `id`, any id is right that no other call of the answer has.
  z.strictObject({ call: z.string(), input: z.unknown(), id: z.string().optional(), state: z.unknown().optional() }),
]);

const caseSchema = z
  .strictObject({
    /** Where the dialect is from, or why it is here. */
    source: z.string(),
    wire: z.enum(['chat', 'responses', 'messages']),
    status: z.number().default(200),
    headers: z.record(z.string(), z.string()).default({ 'content-type': 'text/event-stream' }),
    /** Line ends of the body. */
    newline: z.string().default('\n'),
    /** True: a byte order mark is before the body. */
    bom: z.boolean().default(false),
    encoding: z.enum(Object.keys(ENCODERS) as [keyof typeof ENCODERS]).optional(),
    body: z.string(),
    answer: z
      .strictObject({
        parts: z.array(partSchema),
        stop: z.string(),
        /** Absent: it is estimated. */
        usage: z
          .strictObject({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
          .optional(),
      })
      .optional(),
    failure: z.strictObject({ code: z.string().optional(), message: z.string().optional() }).optional(),
  })
  .refine(({ answer, failure }) => (answer === undefined) !== (failure === undefined), 'one of answer and failure');

/** What a server sends, and the answer that it is. */
export type WireCase = z.infer<typeof caseSchema> & { name: string };

export type CasePart = z.infer<typeof partSchema>;

/** Every file below `cases`. */
export function readCases(): WireCase[] {
  const folder = join(import.meta.dirname, 'cases');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files.toSorted().map((file) => {
    const parsed = caseSchema.safeParse(parse(readFileSync(join(folder, file), 'utf8')));
    if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
    return { ...parsed.data, name: file.slice(0, -'.yaml'.length) };
  });
}

/** The body before its encoding. */
export function toPlainBytes({ body, newline, bom }: WireCase): Buffer {
  return Buffer.from((bom ? '\uFEFF' : '') + body.replaceAll('\n', newline));
}

/** Head and body as they are sent. */
export function toResponse(wireCase: WireCase): { headers: Record<string, string>; bytes: Buffer } {
  const { headers, encoding } = wireCase;
  const plain = toPlainBytes(wireCase);
  if (!encoding) return { headers, bytes: plain };
  const name = encoding === 'deflate-raw' ? 'deflate' : encoding;
  return { headers: { ...headers, 'content-encoding': name }, bytes: ENCODERS[encoding](plain) };
}
